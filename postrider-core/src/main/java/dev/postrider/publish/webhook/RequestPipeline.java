package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.publish.InvalidEventException;
import dev.postrider.publish.PublishResult;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
final class RequestPipeline {
    /** How much longer than its timeout a request may take until it is given up. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final long SILENCE = Duration.ofSeconds(10).toNanos();
    private static final int MOST_TOLD = 100;

    private final HttpSettings settings;
    private final Requests requests;
    private final Answers answers;
    private final Supplier<HttpClient> clients;

    /** Whatever has no answer, out or waiting or lost on the way to its answer. */
    private final Set<Sending> unanswered = ConcurrentHashMap.newKeySet();

    // ---- guarded by this
    private final Deque<Sending> waiting = new ArrayDeque<>();
    private final Set<Sending> out = new LinkedHashSet<>();

    /** One for each URL, if there are several: one that does not answer is in nobody's way. */
    private final Map<SecretUrl, UrlCircuit> circuits = new LinkedHashMap<>();

    private long lastAnswer = System.nanoTime();

    /** Until when servers asked to be left alone, by {@link System#nanoTime}. */
    private final Map<SecretUrl, Long> retryAfterUntil = new HashMap<>();

    private @Nullable HttpClient client;
    private boolean stopped;
    private boolean starting;

    /**
     * @param inFlight requests that may be out together
     * @param timeout from the beginning of a request to the end of its answer
     * @param openFor how long one of several URLs is left alone when it fails
     */
    record HttpSettings(int inFlight, Duration connectTimeout, Duration timeout, Duration openFor) {}

    RequestPipeline(HttpSettings settings, Requests requests, Answers answers) {
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
    RequestPipeline(HttpSettings settings, Requests requests, Answers answers, Supplier<HttpClient> clients) {
        this.clients = clients;
        this.settings = settings;
        this.requests = requests;
        this.answers = answers;
    }

    /** In the same order whenever the same URLs are set: their names tell those of one host apart. */
    synchronized void among(Collection<SecretUrl> urls) {
        if (urls.size() < 2) {
            return;
        }
        Map<String, Integer> ofHost = new HashMap<>();
        urls.stream().sorted(Comparator.comparing(url -> url.url().toString())).forEach(url -> {
            int number = ofHost.merge(url.host(), 1, Integer::sum);
            circuits.put(
                    url, new UrlCircuit(number == 1 ? url.toString() : url + " (" + number + ")", settings.openFor()));
        });
    }

    /** Of several URLs none has all the requests that may be out. */
    private int share() {
        return circuits.isEmpty() ? settings.inFlight() : Math.max(1, settings.inFlight() / 2);
    }

    synchronized int releasable(String blocked) {
        return circuits.values().stream()
                .filter(circuit -> circuit.name().equals(blocked))
                .findFirst()
                .map(circuit -> circuit.permits(System.nanoTime()))
                .orElse(Integer.MAX_VALUE);
    }

    synchronized Map<String, String> blocked() {
        Map<String, String> blocked = new LinkedHashMap<>();
        circuits.values().stream()
                .filter(circuit -> !circuit.isClosed())
                .limit(MOST_TOLD)
                .forEach(circuit -> blocked.put(circuit.name(), "fails"));
        return blocked;
    }

    /** What a URL does not answer for long, while others do, stays out until its timeout; but nothing more is sent to it. */
    void giveUpSilentUrls() {
        List<Sending> given = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            for (Sending sending : List.copyOf(out)) {
                UrlCircuit circuit = circuits.get(sending.url);
                if (circuit != null
                        && circuit.isClosed()
                        && now - sending.begunAt > SILENCE
                        && lastAnswer - sending.begunAt > 0) {
                    circuit.open(now, "no answer for 10 s while others answer");
                    given.addAll(withdrawWaiting(sending.url));
                }
            }
        }
        given.forEach(this::block);
    }

    private List<Sending> withdrawWaiting(SecretUrl url) {
        List<Sending> ofUrl =
                waiting.stream().filter(one -> one.url.equals(url)).toList();
        waiting.removeAll(ofUrl);
        return ofUrl;
    }

    private void block(Sending sending) {
        complete(sending, blocked(sending.url));
        startWaiting();
    }

    private PublishResult blocked(SecretUrl url) {
        return new PublishResult.Blocked(
                Objects.requireNonNull(circuits.get(url)).name(),
                "circuit-open",
                url + " is blocked at the moment: its circuit is open.");
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
            UrlCircuit circuit = circuits.get(url);
            if (circuit != null && !circuit.take(System.nanoTime())) {
                sending.answer.complete(blocked(url));
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
            Sending next;
            while (!stopped && out.size() < settings.inFlight() && (next = nextWithShare()) != null) {
                waiting.remove(next);
                Duration wait =
                        Duration.ofNanos(retryAfterUntil.getOrDefault(next.url, System.nanoTime()) - System.nanoTime());
                if (wait.isNegative() || wait.isZero()) {
                    retryAfterUntil.remove(next.url);
                    start(next);
                } else {
                    giveBack(next.url);
                    complete(next, ofUrl(answers.leftAlone(next.url, wait)));
                }
            }
        } finally {
            starting = false;
        }
    }

    private @Nullable Sending nextWithShare() {
        if (circuits.isEmpty()) {
            return waiting.peek();
        }
        Map<SecretUrl, Integer> outOf = new HashMap<>();
        out.forEach(sending -> outOf.merge(sending.url, 1, Integer::sum));
        return waiting.stream()
                .filter(sending -> outOf.getOrDefault(sending.url, 0) < share())
                .findFirst()
                .orElse(null);
    }

    /** With several URLs their circuits decide, and not the relay's. */
    private PublishResult ofUrl(PublishResult result) {
        return result instanceof PublishResult.Unavailable one && !circuits.isEmpty()
                ? new PublishResult.Unavailable(one.errorClass(), one.reason(), one.retryAfter(), true)
                : result;
    }

    private void giveBack(SecretUrl url) {
        UrlCircuit circuit = circuits.get(url);
        if (circuit != null) {
            circuit.giveBack();
        }
    }

    private void start(Sending sending) {
        sending.begunAt = System.nanoTime();
        CompletableFuture<HttpResponse<String>> exchange;
        try {
            HttpRequest request = requests.of(sending.event, sending.message, sending.url, sending.body);
            exchange = client().sendAsync(request, info -> new StartOfBody());
        } catch (InvalidEventException e) {
            giveBack(sending.url);
            complete(sending, e.result());
            return;
        } catch (RuntimeException e) {
            giveBack(sending.url);
            complete(sending, ofUrl(answers.classify(sending.url, e)));
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
        List<Sending> given = List.of();
        synchronized (this) {
            if (!out.remove(sending)) {
                // Given up, and answered as such.
                return;
            }
            boolean failed = result instanceof PublishResult.Unavailable;
            UrlCircuit circuit = circuits.get(sending.url);
            lastAnswer = failed ? lastAnswer : System.nanoTime();
            if (circuit != null && circuit.answered(failed, System.nanoTime())) {
                given = withdrawWaiting(sending.url);
            }
            if (result instanceof PublishResult.Unavailable unavailable && unavailable.retryAfter() != null) {
                retryAfterUntil.merge(
                        sending.url,
                        System.nanoTime() + unavailable.retryAfter().toNanos(),
                        (one, other) -> one - other > 0 ? one : other);
            }
        }
        cancel(sending);
        complete(sending, ofUrl(result));
        given.forEach(this::block);
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
    void expireOverdue() {
        long now = System.nanoTime();
        long patience = settings.timeout().plus(GRACE).toNanos();
        for (Sending sending : unanswered) {
            if (sending.begunAt != 0 && now - sending.begunAt > patience) {
                synchronized (this) {
                    out.remove(sending);
                    giveBack(sending.url);
                }
                cancel(sending);
                complete(sending, ofUrl(answers.late(sending.url)));
            }
        }
        startWaiting();
    }

    /** What waits for its turn is unresolved; what is out goes on. */
    void giveBackWaiting() {
        List<Sending> givenBack;
        synchronized (this) {
            givenBack = List.copyOf(waiting);
            waiting.clear();
            givenBack.forEach(sending -> giveBack(sending.url));
        }
        givenBack.forEach(sending -> complete(sending, new PublishResult.Unresolved()));
    }

    /** Sends nothing more; what is not answered yet is unresolved. Any thread. */
    void stop() {
        List<Sending> givenUp;
        synchronized (this) {
            stopped = true;
            givenUp = List.copyOf(unanswered);
            out.clear();
            waiting.clear();
            givenUp.forEach(sending -> {
                giveBack(sending.url);
                sending.body.revoke();
            });
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
