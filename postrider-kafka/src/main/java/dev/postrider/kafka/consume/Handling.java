package dev.postrider.kafka.consume;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls what the user brought, and tells how it went. The consumer's thread calls; {@link #interrupt} may come from any.
 */
final class Handling {
    /** How a call went. */
    sealed interface Outcome {}

    record Handled(long nanos) implements Outcome {}

    /** The record's fault, as far as anybody can tell. */
    record Failed(Throwable error, boolean hopeless) implements Outcome {}

    record Outage(Throwable error) implements Outcome {}

    /** The handler was interrupted because the consumer stops: nothing is known, nothing is counted. */
    record Abandoned() implements Outcome {}

    /**
     * What the user brought.
     *
     * @param single or batch: one of the two
     * @param other for records that are no CloudEvents
     */
    record Handlers(
            @Nullable EventHandler single,
            @Nullable BatchHandler batch,
            @Nullable RecordHandler other,
            Predicate<? super Throwable> hopeless,
            Predicate<? super Throwable> outage) {}

    private interface Call {
        void run() throws Exception;
    }

    private final Handlers handlers;
    private final BooleanSupplier stopping;

    /** Guards the next, so that an interrupt reaches the handler or nobody. */
    private final Object calls = new Object();

    private @Nullable Thread calling;

    Handling(Handlers handlers, BooleanSupplier stopping) {
        this.handlers = handlers;
        this.stopping = stopping;
    }

    boolean takesAnything() {
        return handlers.other() != null;
    }

    boolean takesBatches() {
        return handlers.batch() != null;
    }

    Outcome batch(List<Entry> entries) {
        List<ReceivedEvent> events = new ArrayList<>(entries.size());
        entries.forEach(entry -> events.add(entry.event()));
        BatchHandler handler = Objects.requireNonNull(handlers.batch());
        return call(() -> handler.handle(List.copyOf(events)));
    }

    Outcome single(Entry entry) {
        return call(() -> {
            ReceivedEvent event = entry.event();
            if (event == null) {
                Objects.requireNonNull(handlers.other()).handle(entry.record());
            } else if (handlers.batch() != null) {
                handlers.batch().handle(List.of(event));
            } else {
                Objects.requireNonNull(handlers.single()).handle(event);
            }
        });
    }

    private Outcome call(Call call) {
        synchronized (calls) {
            calling = Thread.currentThread();
        }
        long start = System.nanoTime();
        Throwable error = null;
        try {
            call.run();
        } catch (Throwable e) {
            // Errors too: a document nested too deeply must not end the thread, and come back, and end it again.
            error = e;
        } finally {
            synchronized (calls) {
                calling = null;
            }
            // A flag that the handler left behind would fail the next commit.
            Thread.interrupted();
        }
        if (error == null) {
            return new Handled(System.nanoTime() - start);
        }
        if (stopping.getAsBoolean()) {
            return new Abandoned();
        }
        return handlers.outage().test(error)
                ? new Outage(error)
                : new Failed(error, handlers.hopeless().test(error));
    }

    /** Interrupts the handler if it is at work. */
    void interrupt() {
        synchronized (calls) {
            if (calling != null) {
                calling.interrupt();
            }
        }
    }
}
