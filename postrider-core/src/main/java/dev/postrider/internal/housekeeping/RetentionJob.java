package dev.postrider.internal.housekeeping;

import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what retention no longer keeps, in small steps, so that whoever calls it can do other things
 * in between and stop at any time. What a run that was cut short has left is done by the next: a run
 * counts only when it has come to its end.
 */
final class RetentionJob {
    private static final Logger log = LoggerFactory.getLogger(RetentionJob.class);

    /** A chunk may be a hundred thousand rows, and a disk slow. */
    private static final Duration LONGEST_CHUNK = Duration.ofMinutes(2);

    static final String LEASE = "job/retention";
    static final String LAST_RUN = "retention_last_run";

    private static final Duration LOOK_INTERVAL = Duration.ofMinutes(1);

    private final String relay;
    private final OutboxStore store;
    private final @Nullable LogStore logStore;
    private final RelaySession session;
    private final HousekeepingSettings settings;
    private final JobLease lease;

    private @Nullable Run run;

    /**
     * @param log of an outbox in log mode
     */
    RetentionJob(
            String relay,
            String owner,
            OutboxStore store,
            @Nullable LogStore log,
            RelaySession session,
            HousekeepingSettings settings) {
        this.logStore = log;
        this.relay = relay;
        this.store = store;
        this.session = session;
        this.settings = settings;
        this.lease = new JobLease(LEASE, owner, store, session, settings.leaseLength());
    }

    /** What is deleted, and how one chunk of it: another table is one more of these. */
    private record Purge(String what, Duration keep, Chunk chunk) {
        interface Chunk {
            Purged delete(Connection connection, Duration olderThan, Purged.Position after, int limit)
                    throws SQLException;
        }
    }

    private List<Purge> purges() {
        List<Purge> purges = new ArrayList<>();
        Duration published = settings.retention().published();
        if (published != null) {
            purges.add(new Purge(
                    "published events", published, logStore == null ? store::purgePublished : logStore::purge));
        }
        return purges;
    }

    /** A pass over all tables. */
    private static final class Run {
        final Instant started;
        final Iterator<Purge> todo;
        Purge purge;
        Purged.Position position = Purged.Position.START;
        long deleted;
        int chunks;
        boolean finished;

        Run(Instant started, Iterator<Purge> todo) {
            this.started = started;
            this.todo = todo;
            this.purge = todo.next();
        }
    }

    /**
     * Does the next chunk, or looks whether it is time to begin.
     *
     * @return how long to wait before the next step
     */
    Duration step() throws SQLException {
        if (run == null && isDue()) {
            beginUnlessDone();
        }
        if (run != null) {
            chunk(run);
        }
        return run == null ? LOOK_INTERVAL : settings.pause();
    }

    /** By the database's clock. An outbox that was never cleaned waits for the first time after now. */
    private boolean isDue() throws SQLException {
        return session.call(connection -> {
            Instant now = store.now(connection);
            Instant last = parse(store.note(connection, LAST_RUN));
            if (last == null) {
                store.putNote(connection, LAST_RUN, now.toString());
                return false;
            }
            return !now.isBefore(settings.schedule().next(last));
        });
    }

    private static @Nullable Instant parse(@Nullable String time) {
        try {
            return time == null ? null : Instant.parse(time);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** Looks at the time again under the lease: another instance may have come to the end in the meantime. */
    private void beginUnlessDone() throws SQLException {
        if (begin() && !isDue()) {
            run = null;
            lease.release();
        }
    }

    private boolean begin() throws SQLException {
        if (!lease.take()) {
            return false;
        }
        run = new Run(session.call(store::now), purges().iterator());
        return true;
    }

    private void chunk(Run current) throws SQLException {
        if (!lease.keep()) {
            log.warn("[{}] another instance has taken over deleting old events", relay);
            run = null;
            return;
        }
        Purge purge = current.purge;
        Purged purged = session.callWithTimeout(
                LONGEST_CHUNK,
                connection -> purge.chunk().delete(connection, purge.keep(), current.position, settings.chunkSize()));
        current.chunks++;
        current.deleted += purged.deleted();
        current.position = purged.last();
        if (purged.looked() < settings.chunkSize()) {
            next(current);
        }
    }

    private void next(Run current) throws SQLException {
        if (current.todo.hasNext()) {
            current.purge = current.todo.next();
            current.position = Purged.Position.START;
            return;
        }
        session.run(connection -> {
            store.putNote(connection, LAST_RUN, current.started.toString());
        });
        current.finished = true;
        run = null;
        lease.release();
        if (current.deleted > 0) {
            log.info("[{}] deleted {} old events in {} chunks", relay, current.deleted, current.chunks);
        }
    }

    /**
     * All of it now, whatever the schedule says, on the caller's thread.
     *
     * @param pausing waits between chunks, and says whether to go on
     */
    Result runNow(Predicate<Duration> pausing) throws SQLException {
        if (settings.retention().deletesNothing() || !begin()) {
            return new Result(false, 0, 0);
        }
        Run current = Objects.requireNonNull(run);
        do {
            chunk(current);
        } while (run != null && pausing.test(settings.pause()));
        stop();
        return new Result(current.finished, current.deleted, current.chunks);
    }

    /** What a run did, and whether it came to its end. */
    record Result(boolean finished, long deleted, int chunks) {}

    /** After an error: nothing is known of the chunk, so the next run begins at the beginning. */
    void abandon() {
        run = null;
    }

    void stop() throws SQLException {
        run = null;
        lease.release();
    }
}
