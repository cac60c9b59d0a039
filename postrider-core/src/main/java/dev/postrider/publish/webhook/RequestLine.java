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
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests that are out, a limited number at a time, and those that wait for their turn. The relay's thread sends,
 * the HTTP client's threads answer, any thread stops.
 *
 * <p>Once it is stopped nothing leaves any more: what waits is given up, what is out is cancelled, and a request that
 * was just about to leave finds its body withheld, so that no server can take it for a whole one.
 */
final class RequestLine {
    private final HttpSettings settings;
    private final Requests requests;
    private final Answers answers;

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
                    next.answer.complete(answers.leftAlone(next.url, wait));
                }
            }
        } finally {
            starting = false;
        }
    }

    private void start(Sending sending) {
        HttpRequest request;
        try {
            request = requests.of(sending.event, sending.message, sending.url, sending.body);
        } catch (InvalidEventException e) {
            sending.answer.complete(e.result());
            return;
        } catch (IllegalArgumentException e) {
            sending.answer.complete(answers.classify(sending.url, e));
            return;
        }
        out.add(sending);
        CompletableFuture<HttpResponse<String>> exchange = client().sendAsync(request, info -> new StartOfBody());
        sending.exchange = exchange;
        exchange.copy()
                .orTimeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((response, error) -> answered(sending, response, error));
    }

    private HttpClient client() {
        HttpClient current = client;
        if (current == null) {
            current = HttpClient.newBuilder()
                    .connectTimeout(settings.connectTimeout())
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .build();
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
        sending.answer.complete(result);
        startWaiting();
    }

    /** Sends nothing more; what is not answered yet is unresolved. Any thread. */
    void stop() {
        List<Sending> unanswered;
        synchronized (this) {
            stopped = true;
            unanswered = new ArrayList<>(out);
            unanswered.addAll(waiting);
            out.clear();
            waiting.clear();
            unanswered.forEach(sending -> sending.body.revoke());
        }
        for (Sending sending : unanswered) {
            cancel(sending);
            sending.answer.complete(new PublishResult.Unresolved());
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
