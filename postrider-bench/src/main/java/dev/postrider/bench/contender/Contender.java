package dev.postrider.bench.contender;

import java.util.List;

/**
 * One way to bring events from a transaction to Kafka. Made for one run, in a JVM of its own, on a database that only
 * it uses. Called by one thread, but for {@link #write}, which several threads call at once.
 *
 * <p>What arrives in the topic must have the event's key as its key and the event's document somewhere in its value.
 */
public interface Contender extends AutoCloseable {

    /**
     * Creates its tables, if another process has not done so, and whatever it needs before it can write. Delivers
     * nothing yet.
     */
    void prepare() throws Exception;

    /**
     * One transaction of a user: the row in {@link Business#TABLE} and, if there are any, the events beside it; returns
     * when it is committed. If the relay lives here, it is told in the way this contender is meant to be.
     */
    void write(List<BenchEvent> events) throws Exception;

    /**
     * Commits many events that nobody delivers before {@link #start}. By default through {@link #write}, a hundred
     * events in a transaction.
     */
    default void backlog(List<BenchEvent> events) throws Exception {
        for (int from = 0; from < events.size(); from += 100) {
            write(events.subList(from, Math.min(events.size(), from + 100)));
        }
    }

    /** Begins to deliver, and returns. After a {@link #stop} it can be started again. */
    void start() throws Exception;

    /** Ends delivering; what is in flight is finished. */
    void stop() throws Exception;

    /** What was set, other than defaults: one line each, for the report. */
    List<String> settings();

    @Override
    void close();
}
