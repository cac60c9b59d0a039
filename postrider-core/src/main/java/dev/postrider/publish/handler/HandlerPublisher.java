package dev.postrider.publish.handler;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.UnroutableEventException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Calls functions in the application with events, by type, for applications without a broker. At least once and in
 * order per key, with retries and dead letters, as with any destination.
 *
 * <p>In this process the events of a key are handled one at a time. A handler that takes too long is interrupted and
 * its event counts as not delivered; while the handler keeps running anyway, no event of that key is handled here.
 * Other processes cannot know about it: if the effect must happen only once, mark the event in an {@link
 * dev.postrider.Inbox}, in the transaction of the work.
 */
public final class HandlerPublisher implements Publisher {
    public static final int DEFAULT_CONCURRENCY = 8;
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    /** What can be counted in milliseconds. */
    private static final Duration LONGEST_TIMEOUT = Duration.ofMillis(Long.MAX_VALUE);

    private static final int MOST_TOLD = 20;
    private static final AtomicInteger THREADS = new AtomicInteger();

    private final Map<String, Handler> handlers;
    private final Runs runs;

    /** Null if the executor is the user's, who also closes it. */
    private final @Nullable ExecutorService ownThreads;

    private HandlerPublisher(Builder builder) {
        this.handlers = Map.copyOf(builder.handlers);
        Executor given = builder.executor;
        this.ownThreads = given == null ? threads() : null;
        this.runs = new Runs(
                given != null ? given : Objects.requireNonNull(ownThreads),
                builder.concurrency,
                builder.timeout,
                handlers.size() > 1);
    }

    /**
     * Without a limit of their number, which {@link Runs} has: a handler that does not return keeps its thread for ever, and its
     * place is taken by another. Daemons, so that such a one does not keep the process from ending.
     */
    private static ExecutorService threads() {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
            Thread thread = new Thread(work, "postrider-handler-" + THREADS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** What the application does with an event. */
    @FunctionalInterface
    public interface Handler {

        /**
         * Returns when the work is done for good. May be called again with the same event, for instance after a crash.
         * Runs on a thread of the publisher, or of the given executor; interrupted if it takes too long, or if the
         * relay has to give the event up.
         *
         * @throws Exception to have it tried again: for as long as it takes if a database or a connection failed,
         *     otherwise as often as the retry policy says
         */
        void handle(OutboxEvent event) throws Exception;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The event's type: each type has its handler. */
    @Override
    public String destination(OutboxEvent event) {
        if (!handlers.containsKey(event.type())) {
            throw new UnroutableEventException(noHandler(event.type()));
        }
        return event.type();
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        Handler handler = handlers.get(destination);
        return handler == null
                ? CompletableFuture.completedFuture(
                        new PublishResult.Rejected("unroutable", noHandler(destination), true))
                : runs.submit(event, destination, handler);
    }

    private String noHandler(String type) {
        String known =
                new TreeSet<>(handlers.keySet()).stream().limit(MOST_TOLD).collect(Collectors.joining(", "));
        return "There is no handler for event type [" + type + "]. Register one by HandlerPublisher.builder().on(\""
                + type
                + "\", event -> ...) and send the event again, by 'postrider dead retry'. There are handlers for: "
                + known
                + (handlers.size() > MOST_TOLD ? ", and " + (handlers.size() - MOST_TOLD) + " more." : ".");
    }

    @Override
    public int releasable(String blocked) {
        return runs.releasable(blocked);
    }

    @Override
    public Map<String, String> blocked() {
        return runs.blocked();
    }

    @Override
    public void onRelease(Runnable wake) {
        runs.onRelease(wake);
    }

    @Override
    public void expireOverdue() {
        runs.returnLate();
    }

    @Override
    public void returnUnstarted() {
        runs.returnUnstarted();
    }

    @Override
    public void halt() {
        runs.halt();
    }

    @Override
    public void resume() {
        runs.resume();
    }

    /** Interrupts running handlers, and does not wait for them. */
    @Override
    public void close() {
        runs.close();
        if (ownThreads != null) {
            ownThreads.shutdown();
        }
    }

    /** Options of a handler publisher. At least one handler is required. */
    public static final class Builder {
        private final Map<String, Handler> handlers = new LinkedHashMap<>();
        private final TreeSet<String> twice = new TreeSet<>();
        private int concurrency = DEFAULT_CONCURRENCY;
        private Duration timeout = DEFAULT_TIMEOUT;
        private @Nullable Executor executor;

        private Builder() {}

        /**
         * Calls the handler with events of exactly this type. Events of types without a handler become dead letters.
         */
        public Builder on(String type, Handler handler) {
            Objects.requireNonNull(type, "type");
            if (handlers.put(type, Objects.requireNonNull(handler, "handler")) != null) {
                twice.add(type);
            }
            return this;
        }

        /** How many handlers may run at the same time, each on an event of a different key. Default: 8. */
        public Builder concurrency(int handlers) {
            this.concurrency = handlers;
            return this;
        }

        /** A handler that takes longer is interrupted, and its event is tried again. Default: 30 s. */
        public Builder timeout(Duration timeout) {
            this.timeout = Objects.requireNonNull(timeout, "timeout");
            return this;
        }

        /**
         * Runs the handlers, for example on virtual threads. It must not run them on the calling thread, which is the
         * relay's. The publisher does not close it. Default: the publisher's own threads.
         */
        public Builder executor(Executor executor) {
            this.executor = executor;
            return this;
        }

        /**
         * @throws PostriderException if there is no handler, or a type has two, or an option cannot be used
         */
        public HandlerPublisher build() {
            if (handlers.isEmpty()) {
                throw new PostriderException(
                        "There is no handler: add one for each type of event by on(type, handler).");
            }
            if (!twice.isEmpty()) {
                throw new PostriderException("There are two handlers for " + String.join(", ", twice)
                        + ": a type has one, which may call others.");
            }
            if (concurrency < 1) {
                throw new PostriderException("The handlers' concurrency is " + concurrency + "; it must be 1 or more.");
            }
            if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
                throw new PostriderException("The handlers' timeout is " + timeout
                        + "; it must be a millisecond or longer, and at most " + LONGEST_TIMEOUT + ".");
            }
            return new HandlerPublisher(this);
        }
    }
}
