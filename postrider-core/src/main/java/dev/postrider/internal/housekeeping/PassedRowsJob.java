package dev.postrider.internal.housekeeping;

import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks a log again and again, a little at a time, and looks for rows that no window has met: see
 * {@link LogStore#findPassed}. No index has them, and what it costs must not grow with the table; so it takes longer the larger
 * that is. What is found is noted for {@code status} and {@code doctor}.
 */
final class PassedRowsJob {
    private static final Logger log = LoggerFactory.getLogger(PassedRowsJob.class);

    static final String LEASE = "job/passed-rows";

    /** How far the walk has come. */
    static final String POSITION = "passed_rows_looked_up_to";

    /** Such rows are rare, and reading old ones may cost the database a disk: seldom, and few at a time. */
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final int ROWS = 10_000;

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final String relay;
    private final OutboxStore store;
    private final LogStore logStore;
    private final RelaySession session;
    private final JobLease lease;

    private long next = System.nanoTime();
    private int told;
    private boolean failing;

    PassedRowsJob(
            String relay,
            String owner,
            OutboxStore store,
            LogStore logStore,
            RelaySession session,
            Duration leaseLength) {
        this.relay = relay;
        this.store = store;
        this.logStore = logStore;
        this.session = session;
        this.lease = new JobLease(LEASE, owner, store, session, leaseLength.plus(INTERVAL));
    }

    /**
     * Looks at the next rows if it is time. If that fails it is told once, and tried again when it is time again: nobody
     * else's work depends on it.
     *
     * @return how long to wait before the next step
     */
    Duration step() {
        long now = System.nanoTime();
        if (now - next >= 0) {
            next = now + INTERVAL.toNanos();
            try {
                if (lease.take()) {
                    tell(session.callWithTimeout(LONGEST, this::look));
                }
                failing = false;
            } catch (SQLException | RuntimeException e) {
                if (!failing) {
                    log.warn(
                            "[{}] could not look for rows that the relay has passed, trying again: {}",
                            relay,
                            e.toString());
                }
                failing = true;
            }
        }
        return Duration.ofNanos(next - now);
    }

    private List<LogStore.PassedRow> look(Connection connection) throws SQLException {
        long after = parse(store.note(connection, POSITION));
        LogStore.Passed passed = logStore.findPassed(connection, after, ROWS);
        if (!passed.rows().isEmpty()) {
            logStore.notePassed(connection, passed.rows());
        }
        Long last = passed.last();
        long position = last == null ? Long.MIN_VALUE : last;
        if (position != after) {
            store.putNote(connection, POSITION, Long.toString(position));
        }
        return passed.rows();
    }

    private static long parse(@Nullable String position) {
        try {
            return position == null ? Long.MIN_VALUE : Long.parseLong(position);
        } catch (NumberFormatException e) {
            return Long.MIN_VALUE;
        }
    }

    /** Not each time that the walk meets them. */
    private void tell(List<LogStore.PassedRow> rows) {
        if (rows.size() > told) {
            told = rows.size();
            log.error(
                    "[{}] {} rows of the outbox have ids that had been passed when they were written, such as {}: they were"
                            + " probably not sent. Run 'postrider doctor', which says how to send them.",
                    relay,
                    rows.size(),
                    rows.get(0).id());
        }
    }

    void stop() throws SQLException {
        lease.release();
    }
}
