package dev.postrider.housekeeping;

import dev.postrider.PostriderException;
import dev.postrider.alert.AlertMonitor;
import dev.postrider.store.OutboxStore;
import dev.postrider.store.jdbc.RelaySession;
import dev.postrider.store.log.LogStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does the outbox's housekeeping beside a relay, on a daemon thread with one connection of its own:
 * deletes what retention no longer keeps, and shows levels to the alert monitor. Every relay may have
 * one; leases see to it that each job is done by one of them at a time.
 *
 * <p>Started once and closed once.
 */
public final class Housekeeper implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);

    private static final Duration PAUSE_AFTER_ERROR = Duration.ofSeconds(5);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

    private final String relay;
    private final RelaySession session;
    private final HousekeepingSettings settings;
    private final @Nullable AlertMonitor monitor;
    private final RetentionJob retention;
    private final @Nullable MonitorJob monitoring;
    private final @Nullable CursorJob cursors;
    private final CountDownLatch closed = new CountDownLatch(1);

    private @Nullable Thread thread;

    /**
     * @param relay name of the relay beside it
     * @param logStore of an outbox in log mode
     * @param monitor is shown levels; null means nobody is
     */
    public Housekeeper(
            String relay,
            DataSource dataSource,
            OutboxStore store,
            @Nullable LogStore logStore,
            HousekeepingSettings settings,
            @Nullable AlertMonitor monitor) {
        String owner = relay + "#" + UUID.randomUUID().toString().substring(0, 8);
        this.relay = relay;
        this.settings = settings;
        this.monitor = monitor;
        this.session = new RelaySession(dataSource, store);
        this.retention = new RetentionJob(relay, owner, store, logStore, session, settings);
        this.cursors = logStore == null ? null : new CursorJob(owner, store, logStore, session, settings.leaseLength());
        this.monitoring =
                monitor == null ? null : new MonitorJob(monitor, owner, store, session, settings.leaseLength());
    }

    /** Begins, unless there is nothing to be done ever: then it takes neither thread nor connection. */
    public synchronized void start() {
        if (thread != null) {
            throw new PostriderException("The housekeeper of relay " + relay + " was started already.");
        }
        if (monitor != null) {
            monitor.expectLevelsFromHousekeeper();
        }
        if (monitoring != null || cursors != null || !settings.retention().deletesNothing()) {
            thread = new Thread(this::workUntilClosed, "postrider-" + relay + "-housekeeping");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /**
     * Without {@link #start}: does every job now, on the caller's thread and whatever the schedule says,
     * unless another instance is at it.
     */
    public synchronized Report runOnce() {
        if (thread != null) {
            throw new PostriderException("The housekeeper of relay " + relay
                    + " runs by itself; runOnce() is for housekeepers not started.");
        }
        try {
            boolean looked = monitoring != null && monitoring.look();
            RetentionJob.Result result = retention.runNow(this::pause);
            return new Report(result.finished(), result.deleted(), result.chunks(), looked);
        } catch (SQLException e) {
            retention.abandon();
            throw new PostriderException("Housekeeping was cut short: " + e.getMessage(), e);
        }
    }

    /**
     * What a run did.
     *
     * @param purged whether deleting came to its end; if not, another instance was at it, nothing is ever
     *     deleted, or the housekeeper was closed
     * @param deleted rows
     * @param chunks statements it took
     * @param looked whether levels were shown to the monitor
     */
    public record Report(boolean purged, long deleted, int chunks, boolean looked) {}

    private void workUntilClosed() {
        boolean failing = false;
        Duration wait = Duration.ZERO;
        while (pause(wait)) {
            try {
                wait = step();
                failing = false;
            } catch (SQLException | RuntimeException e) {
                if (!failing) {
                    log.warn("[{}] housekeeping was interrupted, trying again: {}", relay, e.toString());
                }
                failing = true;
                retention.abandon();
                wait = PAUSE_AFTER_ERROR;
            }
        }
        end();
    }

    private Duration step() throws SQLException {
        Duration wait = Duration.ofMinutes(1);
        if (monitoring != null) {
            wait = shorter(wait, monitoring.step());
        }
        if (cursors != null) {
            wait = shorter(wait, cursors.step());
        }
        if (!settings.retention().deletesNothing()) {
            wait = shorter(wait, retention.step());
        }
        return wait;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    /**
     * @return whether to go on
     */
    private boolean pause(Duration pause) {
        try {
            return !closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Gives the leases up, so that another instance need not wait for them to expire. */
    private void end() {
        try {
            retention.stop();
            if (monitoring != null) {
                monitoring.stop();
            }
            if (cursors != null) {
                cursors.stop();
            }
        } catch (SQLException | RuntimeException e) {
            log.debug("[{}] job leases not released, they expire by themselves: {}", relay, e.getMessage());
        }
        session.close();
    }

    /** Ends after the chunk in hand; the rest is left for the next run, here or elsewhere. */
    @Override
    public void close() {
        // Before the lock, which a run in progress holds.
        closed.countDown();
        synchronized (this) {
            if (thread == null) {
                end();
                return;
            }
            try {
                thread.join(LONGEST_CLOSE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
