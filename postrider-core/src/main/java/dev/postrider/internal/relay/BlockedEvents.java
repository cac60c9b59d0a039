package dev.postrider.internal.relay;

import dev.postrider.RelayListener;
import dev.postrider.internal.source.EventSource;
import dev.postrider.publish.Publisher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/**
 * Lets the events go on whose destinations take events again. Nothing waits for a time: however many events a missing topic
 * holds back, until it is there they cost one small question every few seconds.
 *
 * <p>Used by the relay's thread, except for {@link #lookSoon}.
 */
final class BlockedEvents {
    private static final long LOOK_INTERVAL = Duration.ofSeconds(2).toNanos();

    /** Between two chunks, so that those of the first are on their way before the second comes. */
    private static final long CHUNK_INTERVAL = Duration.ofMillis(20).toNanos();

    private final Publisher publisher;
    private final EventSource source;
    private final RelayListener listener;
    private volatile boolean asked;
    private long next = System.nanoTime();
    private Map<String, String> told = Map.of();

    BlockedEvents(Publisher publisher, EventSource source, RelayListener listener) {
        this.publisher = publisher;
        this.source = source;
        this.listener = listener;
    }

    /** A destination may be tried again. Any thread. */
    void lookSoon() {
        asked = true;
    }

    boolean isDue() {
        return asked || System.nanoTime() - next >= 0;
    }

    long nanosLeft(long now) {
        return asked ? 0 : next - now;
    }

    /**
     * @return how many may be sent now
     */
    int release() throws SQLException {
        asked = false;
        next = System.nanoTime() + LOOK_INTERVAL;
        EventSource.Released released = source.releaseBlocked(publisher::releasable);
        if (released.more()) {
            next = System.nanoTime() + CHUNK_INTERVAL;
        }
        Map<String, String> blocked = publisher.blocked();
        if (!blocked.equals(told)) {
            told = Map.copyOf(blocked);
            listener.blocked(told);
        }
        return released.events();
    }
}
