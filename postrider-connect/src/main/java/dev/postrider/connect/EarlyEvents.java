package dev.postrider.connect;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the worker's log of events that are sent before their time. */
final class EarlyEvents {
    private static final Logger log = LoggerFactory.getLogger(OutboxTransform.class);
    private static final long PAUSE_NANOS = 60_000_000_000L;

    private long count;
    private long toldAt;

    /** @param due null means at once */
    void look(String row, @Nullable Instant due) {
        if (due == null || !due.isAfter(Instant.now())) {
            return;
        }
        count++;
        long now = System.nanoTime();
        if (count == 1 || now - toldAt > PAUSE_NANOS) {
            toldAt = now;
            log.warn(
                    "The event in row {} of the outbox was to be delivered after {}, and is sent now: there is no schedule"
                            + " under Debezium. That is {} of these since the task started.",
                    row,
                    due,
                    count);
        }
    }
}
