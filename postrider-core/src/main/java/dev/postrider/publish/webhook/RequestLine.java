package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.http.SecretUrl;
import dev.postrider.publish.InvalidEventException;
import dev.postrider.publish.PublishResult;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are out, a limited number at a time, and those that wait for their turn. The relay's thread sends,
 * the HTTP client's threads answer, any thread stops.
 *
 * <p>Once it is stopped nothing leaves any more: what waits is given up, what is out is cancelled, and a request that
 * was just about to leave finds its body withheld, so that no server can take it for a whole one.
 */
final class RequestLine {
    /** How much longer than its timeout a request may take until it is given up. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final HttpSettings settings;
    private final Requests requests;
    private final Answers answers;
    private final Supplier<HttpClient> clients;

    /** Whatever has no answer, out or waiting or lost on the way to its answer. */
    private final Set<Sending> unanswered = ConcurrentHashMap.newKeySet();

    // ---- guarded by this
    private final Deque<Sending> waiting = new ArrayDeque<>();
    private final Set<Sending> out = new LinkedHashSet<>();

    /** Until when servers asked to be left alone, by {@link System#nanoTime}. */
    private final Map<SecretUrl, Long> leftAloneUntil = new HashMap<>();

    private @Nullable HttpClient client;
    private boolean stopped;
    private boolean starting;

    /**
     * @param inFlight requests that may be out together
     * @param timeout from the beginning of a request to the end of its answer
     */
    record HttpSettings(int inFlight, Duration connectTimeout, Duration timeout) {}

    RequestLine(HttpSettings settings, Requests requests, Answers answers) {
        this(
                settings,
                requests,
                answers,
                () -> HttpClient.newBuilder()
                        .connectTimeout(settings.connectTimeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build());
    }

    /**
     * @param clients asked when one is needed
     */
    RequestLine(HttpSettings settings, Requests requests, Answers answers, Supplier<HttpClient> clients) {
        this.clients = clients;
        this.settings = settings;
        this.requests = requests;
        this.answers = answers;
    }

    private static final class Sending {
        final OutboxEvent event;
        final Message message;
        final SecretUrl url;
        final CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        final RevocableBody body;

        /** By {@link System#nanoTime}; 0 while it waits for its turn. */
        volatile long begunAt;

        @Nullable
        CompletableFuture<HttpResponse<String>> exchange;

        Sending(OutboxEvent event, Message message, SecretUrl url) {
            this.event = event;
            this.message = message;
            this.body = new RevocableBody(message.body());
            this.url = url;
        }
    }

    CompletableFuture<PublishResult> send(OutboxEvent event, Message message, SecretUrl url) {
        Sending sending = new Sending(event, message, url);
        synchronized (this) {
            if (stopped) {
                sending.answer.complete(new PublishResult.Unresolved());
                return sending.answer;
            }
            unanswered.add(sending);
            waiting.add(sending);
            startWaiting();
        }
        return sending.answer;
    }

    /** Under the lock, so that whoever stops the line afterwards knows of every request that was begun. */
    private synchronized void startWaiting() {
        if (starting) {
            // An answer that came at once: whoever is at it goes on.
            return;
        }
        starting = true;
        try {
            while (!stopped && out.size() < settings.inFlight() && !waiting.isEmpty()) {
                Sending next = waiting.remove();
                Duration wait =
                        Duration.ofNanos(leftAloneUntil.getOrDefault(next.url, System.nanoTime()) - System.nanoTime());
                if (wait.isNegative() || wait.isZero()) {
                    leftAloneUntil.remove(next.url);
                    start(next);
                } else {
                    complete(next, answers.leftAlone(next.url, wait));
                }
            }
        } finally {
            starting = false;
        }
    }

    private void start(Sending sending) {
        sending.begunAt = System.nanoTime();
        CompletableFuture<HttpResponse<String>> exchange;
        try {
            HttpRequest request = requests.of(sending.event, sending.message, sending.url, sending.body);
            exchange = client().sendAsync(request, info -> new StartOfBody());
        } catch (InvalidEventException e) {
            complete(sending, e.result());
            return;
        } catch (RuntimeException e) {
            complete(sending, answers.classify(sending.url, e));
            return;
        }
        out.add(sending);
        sending.exchange = exchange;
        exchange.copy()
                .orTimeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((response, error) -> answered(sending, response, error));
    }

    private HttpClient client() {
        HttpClient current = client;
        if (current == null) {
            current = clients.get();
            client = current;
        }
        return current;
    }

    private void answered(Sending sending, @Nullable HttpResponse<String> response, @Nullable Throwable error) {
        PublishResult result = response != null
                ? answers.classify(
                        sending.url, sending.event, response.statusCode(), response.headers(), response.body())
                : answers.classify(sending.url, error != null ? error : new IOException("no answer"));
        synchronized (this) {
            if (!out.remove(sending)) {
                // Given up, and answered as such.
                return;
            }
            if (result instanceof PublishResult.Unavailable unavailable && unavailable.retryAfter() != null) {
                leftAloneUntil.merge(
                        sending.url,
                        System.nanoTime() + unavailable.retryAfter().toNanos(),
                        (one, other) -> one - other > 0 ? one : other);
            }
        }
        cancel(sending);
        complete(sending, result);
        startWaiting();
    }

    private void complete(Sending sending, PublishResult result) {
        sending.answer.complete(result);
        unanswered.remove(sending);
    }

    /**
     * An {@code Error} on one of the HTTP client's threads, for want of memory for instance, may keep a request from being
     * answered, and those behind it from leaving. What is older than the timeout has been overtaken by that.
     */
    void giveUpWhatIsLate() {
        long now = System.nanoTime();
        long patience = settings.timeout().plus(GRACE).toNanos();
        for (Sending sending : unanswered) {
            if (sending.begunAt != 0 && now - sending.begunAt > patience) {
                synchronized (this) {
                    out.remove(sending);
                }
                cancel(sending);
                complete(sending, answers.late(sending.url));
            }
        }
        startWaiting();
    }

    /** Sends nothing more; what is not answered yet is unresolved. Any thread. */
    void stop() {
        List<Sending> givenUp;
        synchronized (this) {
            stopped = true;
            givenUp = List.copyOf(unanswered);
            out.clear();
            waiting.clear();
            givenUp.forEach(sending -> sending.body.revoke());
        }
        for (Sending sending : givenUp) {
            cancel(sending);
            complete(sending, new PublishResult.Unresolved());
        }
    }

    /** After a timeout the request may still be on its way. */
    private static void cancel(Sending sending) {
        sending.body.revoke();
        CompletableFuture<?> exchange = sending.exchange;
        if (exchange != null) {
            exchange.cancel(true);
        }
    }

    synchronized void resume() {
        stopped = false;
    }

    /** Stops for good. The client's threads end by themselves once nothing is out. */
    void close() {
        stop();
        synchronized (this) {
            client = null;
        }
    }
}
