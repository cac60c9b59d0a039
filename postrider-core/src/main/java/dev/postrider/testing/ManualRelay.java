package dev.postrider.testing;

import dev.postrider.BatchReport;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.publish.Publisher;

/**
 * A relay that moves when it is told to, on the caller's thread: when a call returns, what was due has been sent and
 * settled. Retries and scheduled events are due by the outbox's clock. The circuit breaker is as in production, and
 * waits in real time.
 */
public final class ManualRelay implements AutoCloseable {
    private final Relay relay;

    private ManualRelay(Relay relay) {
        this.relay = relay;
    }

    public static ManualRelay of(InMemoryOutbox outbox, Publisher publisher) {
        return of(outbox, publisher, RelaySettings.builder().build());
    }

    /**
     * @param publisher closed with the relay
     */
    public static ManualRelay of(InMemoryOutbox outbox, Publisher publisher, RelaySettings settings) {
        return of(Relay.builder(outbox.dataSource(), publisher)
                .table(outbox.table())
                .settings(settings)
                .build());
    }

    /**
     * A relay of any outbox, one in a database too, by whose clock it goes then.
     *
     * @param relay that was not started; closed with this one
     */
    public static ManualRelay of(Relay relay) {
        return new ManualRelay(relay);
    }

    /** One batch. */
    public BatchReport runOnce() {
        return relay.runOnce();
    }

    /**
     * Batch after batch until nothing is due.
     *
     * @return how many events were published
     */
    public int runUntilIdle() {
        int published = 0;
        // One run without events may have been the last of those that look for dangerous ones alone.
        int idle = 0;
        while (idle < 2) {
            BatchReport report = relay.runOnce();
            published += report.published();
            idle = report.fetched() == 0 && report.dead() == 0 ? idle + 1 : 0;
        }
        return published;
    }

    @Override
    public void close() {
        relay.close();
    }
}
