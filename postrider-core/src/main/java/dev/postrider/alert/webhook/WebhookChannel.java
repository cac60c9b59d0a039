package dev.postrider.alert.webhook;

import dev.postrider.PostriderException;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import dev.postrider.internal.http.RetryAfter;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.internal.lifecycle.Service;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts alerts to a URL, from a queue, on its own daemon thread, which starts with the first alert. However slow or
 * dead the other side is, {@link #send} only queues. An alert that does not fit into the queue, or is not accepted in
 * two attempts, is dropped and counted, with a warning.
 *
 * <p>The URL of a webhook is a secret: only its host appears in logs and messages.
 */
public final class WebhookChannel implements AlertChannel {
    private static final Logger log = LoggerFactory.getLogger(WebhookChannel.class);

    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    public static final int DEFAULT_QUEUE = 100;

    private static final int TRIES = 2;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);

    /** How long one message waits altogether while the other side says that there are too many. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final long IDLE = Duration.ofMinutes(1).toNanos();
    private static final long WARNING_INTERVAL = Duration.ofMinutes(1).toNanos();
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int REQUEST_TIMEOUT = 408;

    private final SecretUrl url;
    private final WebhookFormat format;
    private final Duration timeout;
    private final int capacity;
    private final Service service;

    /** Of the service's thread. */
    private @Nullable HttpClient client;

    // ---- guarded by this
    private final Queue<Alert> queue = new ArrayDeque<>();
    private boolean closed;
    private long dropped;
    private long droppedUnwarned;
    private long nextWarning = System.nanoTime();

    public WebhookChannel(URI url, WebhookFormat format) {
        this(url, format, DEFAULT_TIMEOUT, DEFAULT_QUEUE);
    }

    /**
     * @param timeout for the connection, and for the response
     * @param capacity how many alerts may wait
     */
    public WebhookChannel(URI url, WebhookFormat format, Duration timeout, int capacity) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new PostriderException("A webhook's timeout is " + timeout + "; it must be positive.");
        }
        if (capacity < 1) {
            throw new PostriderException("A webhook's queue is " + capacity + "; it must be 1 or more.");
        }
        this.url = new SecretUrl(url);
        this.format = format;
        this.timeout = timeout;
        this.capacity = capacity;
        this.service = Service.named("postrider-webhook-" + this.url.host())
                .onFailure(Service.tellOnce(log, "An alert was lost on its way to the " + this.url, PAUSE))
                .doing(this::postNext);
    }

    @Override
    public synchronized void send(Alert alert) {
        if (closed) {
            drop("it is closed");
        } else if (queue.size() < capacity || makeRoomFor(alert)) {
            queue.add(alert);
            if (!service.isStarted()) {
                service.start();
            }
            service.wake();
        } else {
            drop(capacity + " alerts wait already");
        }
    }

    /** What is critical takes the place of the oldest that is not. */
    private boolean makeRoomFor(Alert alert) {
        if (alert.severity() == Alert.Severity.CRITICAL) {
            for (Iterator<Alert> waiting = queue.iterator(); waiting.hasNext(); ) {
                if (waiting.next().severity() != Alert.Severity.CRITICAL) {
                    waiting.remove();
                    drop(capacity + " alerts wait already");
                    return true;
                }
            }
        }
        return false;
    }

    /** How many alerts were dropped. */
    public synchronized long dropped() {
        return dropped;
    }

    private synchronized void drop(String why) {
        dropped++;
        droppedUnwarned++;
        if (System.nanoTime() - nextWarning >= 0) {
            nextWarning = System.nanoTime() + WARNING_INTERVAL;
            log.warn("Alerts that did not reach the {}: {}; {}", this, droppedUnwarned, why);
            droppedUnwarned = 0;
        }
    }

    private long postNext() throws InterruptedException {
        Alert alert = next();
        if (alert == null) {
            return isClosed() ? Service.END : IDLE;
        }
        if (client == null) {
            client = HttpClient.newBuilder().connectTimeout(timeout).build();
        }
        try {
            post(client, alert);
        } catch (InterruptedException e) {
            drop("it was closed");
            throw e;
        }
        return 0;
    }

    private synchronized @Nullable Alert next() {
        return queue.poll();
    }

    private synchronized boolean isClosed() {
        return closed && queue.isEmpty();
    }

    private void post(HttpClient client, Alert alert) throws InterruptedException {
        try {
            for (String body : format.messages(alert)) {
                String problem = post(client, body);
                if (problem != null) {
                    drop(problem);
                    return;
                }
            }
        } catch (RuntimeException e) {
            drop(url.removeFrom(String.valueOf(e)));
        }
    }

    /**
     * @return why the message was not taken; null if it was
     */
    private @Nullable String post(HttpClient client, String body) throws InterruptedException {
        Duration patience = PATIENCE;
        String problem = "";
        for (int tried = 0; tried < TRIES; ) {
            Duration pause = PAUSE;
            try {
                HttpResponse<Void> answer = exchange(client, body);
                int status = answer.statusCode();
                if (status >= 200 && status < 300) {
                    return null;
                }
                problem = "it answers with status " + status;
                if (status == TOO_MANY_REQUESTS) {
                    pause = retryAfter(answer);
                    patience = patience.minus(pause);
                    if (patience.isNegative()) {
                        return problem;
                    }
                } else if (status < 500 && status != REQUEST_TIMEOUT) {
                    // It would say the same again.
                    return problem;
                } else {
                    tried++;
                }
            } catch (TimeoutException e) {
                problem = "no answer within " + timeout.toMillis() + " ms";
                tried++;
            } catch (ExecutionException e) {
                problem = url.removeFrom(String.valueOf(e.getCause()));
                tried++;
            }
            if (tried < TRIES) {
                Thread.sleep(pause.toMillis());
            }
        }
        return problem;
    }

    /** The request's own timeout ends with the headers; this one also covers a body that never ends. */
    private HttpResponse<Void> exchange(HttpClient client, String body)
            throws InterruptedException, ExecutionException, TimeoutException {
        HttpRequest request = HttpRequest.newBuilder(url.url())
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        CompletableFuture<HttpResponse<Void>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            answer.cancel(true);
        }
    }

    private static Duration retryAfter(HttpResponse<?> answer) {
        Duration asked = RetryAfter.of(answer.headers()).orElse(PAUSE);
        return asked.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : asked;
    }

    /** Keeps posting for at most the timeout; alerts that still wait then are dropped. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        service.wake();
        service.awaitEnd(timeout);
        service.stop(Duration.ZERO);
        synchronized (this) {
            while (queue.poll() != null) {
                drop("it was closed");
            }
        }
    }

    @Override
    public String toString() {
        return url.toString();
    }
}
