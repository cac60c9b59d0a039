package dev.postrider.testing;

import dev.postrider.BatchReport;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.publish.Publisher;

/**
 * A relay that your test drives, on the caller's thread: when a call returns, everything due has been sent and its
 * outcome recorded. Retries and scheduled events are due by the outbox's clock. The circuit breaker is the one used in
 * production, and waits in real time.
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
     * Drives a relay of any outbox, also of one in a database, whose clock then counts.
     *
     * @param relay not started; closed together with this one
     */
    public static ManualRelay of(Relay relay) {
        return new ManualRelay(relay);
    }

    /** Sends one batch. */
    public BatchReport runOnce() {
        return relay.runOnce();
    }

    /**
     * Sends batch after batch until nothing is due.
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
