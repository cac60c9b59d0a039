package dev.postrider.internal.housekeeping;

import dev.postrider.PostriderException;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
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
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(3);
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final String relay;
    private final RelaySession session;
    private final HousekeepingSettings settings;
    private final @Nullable AlertMonitor monitor;
    private final RetentionJob retention;
    private final @Nullable MonitorJob monitoring;
    private final @Nullable CursorJob cursors;
    private final @Nullable PassedRowsJob passedRows;
    private final Service service;

    /** For a run on somebody else's thread. */
    private final CountDownLatch closed = new CountDownLatch(1);

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
        this(relay, new RelaySession(dataSource, store), store, logStore, settings, monitor);
    }

    /**
     * @param session for this housekeeper alone
     */
    public Housekeeper(
            String relay,
            RelaySession session,
            OutboxStore store,
            @Nullable LogStore logStore,
            HousekeepingSettings settings,
            @Nullable AlertMonitor monitor) {
        String owner = relay + "#" + UUID.randomUUID().toString().substring(0, 8);
        this.relay = relay;
        this.settings = settings;
        this.monitor = monitor;
        this.session = session;
        this.retention = new RetentionJob(relay, owner, store, logStore, session, settings);
        this.cursors = logStore == null ? null : new CursorJob(owner, store, logStore, session, settings);
        this.passedRows = logStore == null
                ? null
                : new PassedRowsJob(relay, owner, store, logStore, session, settings.leaseLength());
        this.monitoring =
                monitor == null ? null : new MonitorJob(monitor, owner, store, session, settings.leaseLength());
        this.service = Service.named("postrider-" + relay + "-housekeeping")
                .onFailure(this::interrupted)
                .atEnd(this::end)
                .doing(() -> step().toNanos());
    }

    /** Begins, unless there is nothing to be done ever: then it takes neither thread nor connection. */
    public synchronized void start() {
        if (service.isStarted()) {
            throw new PostriderException("The housekeeper of relay " + relay + " was started already.");
        }
        if (monitor != null) {
            monitor.expectLevelsFromHousekeeper();
        }
        if (monitoring != null || cursors != null || !settings.retention().deletesNothing()) {
            service.start();
        }
    }

    /**
     * Without {@link #start}: does every job now, on the caller's thread and whatever the schedule says,
     * unless another instance is at it.
     */
    public synchronized Report runOnce() {
        if (service.isStarted()) {
            throw new PostriderException(
                    "The housekeeper of relay " + relay + " is started; runOnce() is for housekeepers that are not.");
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

    private long interrupted(Throwable e, boolean again) {
        retention.abandon();
        if (!again && e instanceof Error) {
            log.error("[{}] housekeeping was interrupted, trying again", relay, e);
        } else if (!again) {
            log.warn("[{}] housekeeping was interrupted, trying again: {}", relay, e.toString());
        }
        return PAUSE_AFTER_ERROR.toNanos();
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
        if (passedRows != null) {
            wait = shorter(wait, passedRows.step());
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
            session.hurry();
            retention.stop();
            if (monitoring != null) {
                monitoring.stop();
            }
            if (cursors != null) {
                cursors.stop();
            }
            if (passedRows != null) {
                passedRows.stop();
            }
        } catch (SQLException | RuntimeException e) {
            log.debug("[{}] job leases not released, they expire by themselves: {}", relay, e.getMessage());
        }
        session.close();
    }

    /** As {@link #close}, but does not wait for it. */
    public void askToStop() {
        closed.countDown();
        if (service.isStarted()) {
            service.askToStop();
        }
    }

    /**
     * Ends after the chunk in hand; the rest is left for the next run, here or elsewhere. A chunk that takes long, or a
     * database that does not answer, is waited for a few seconds; then the connection is cut.
     */
    @Override
    public void close() {
        // Before the lock, which a run in progress holds.
        askToStop();
        synchronized (this) {
            service.askToStop();
            if (!service.awaitEnd(LONGEST_CLOSE)) {
                session.abort();
                service.stop(MOMENT);
            }
        }
    }
}
