package dev.postrider.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A hot standby: a second real PostgreSQL that follows a {@link DevPostgres} by streaming replication, can be read, and
 * can take its place. For tests of fail-over, including fail-overs that lose commits:
 *
 * <pre>{@code
 * try (DevPostgres primary = DevPostgres.start();
 *         DevStandby standby = primary.startStandby()) {
 *     // commits that survive
 *     standby.awaitCaughtUp();
 *     standby.disconnect();
 *     // commits that are lost
 *     primary.kill();
 *     DevPostgres heir = standby.promote();
 * }
 * }</pre>
 *
 * <p>Replication is asynchronous, as it is by default: the primary does not wait for the standby.
 *
 * <p>Its server lives in a temporary directory and ends as every {@link DevPostgres} does. It does not end with its
 * primary, nor the primary with it.
 *
 * <p>All methods may be called from any thread.
 */
public final class DevStandby implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DevStandby.class);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    // Not the position of what is merely inserted: it may lie behind the last record, where no replay ever ends.
    private static final String POSITION_OF_PRIMARY = """
            SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END
            """;
    private static final String POSITION_OF_STANDBY = "SELECT pg_last_wal_replay_lsn()";
    private static final String HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= '%s'::pg_lsn";

    private static final String FORGET_PRIMARY = "ALTER SYSTEM SET primary_conninfo = ''";
    private static final String RELOAD = "SELECT pg_reload_conf()";
    private static final String HAS_FORGOTTEN_PRIMARY = """
            SELECT current_setting('primary_conninfo') = ''
               AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'walreceiver')
            """;
    private static final String PROMOTE = "SELECT pg_promote(wait => true, wait_seconds => %d)";

    private final DevPostgres primary;
    private final DevPostgres postgres;
    private State state = State.FOLLOWING;

    private enum State {
        FOLLOWING,
        DISCONNECTED,
        PROMOTED
    }

    DevStandby(DevPostgres primary, DevPostgres postgres) {
        this.primary = primary;
        this.postgres = postgres;
    }

    /** The standby's server: read-only until {@link #promote()}. It can be stopped, killed and restarted as well. */
    public DevPostgres postgres() {
        return postgres;
    }

    /**
     * Returns when the standby shows everything that was committed on the primary before the call. Transactions that
     * committed with {@code synchronous_commit} off count from when they are durable.
     */
    public synchronized void awaitCaughtUp() {
        if (state != State.FOLLOWING) {
            throw new IllegalStateException("the standby on port " + postgres.port()
                    + (state == State.PROMOTED ? " has been promoted" : " has been disconnected")
                    + " and catches up no more: call awaitCaughtUp() before");
        }
        String position = ask(primary, POSITION_OF_PRIMARY);
        if (!Waiting.until(LIMIT, () -> isTrue(ask(postgres, HAS_REPLAYED.formatted(position))))) {
            throw new DevServicesException("the standby on port " + postgres.port() + " did not reach position "
                    + position + " of its primary on port " + primary.port() + " within " + LIMIT.toSeconds()
                    + " s: it is at " + ask(postgres, POSITION_OF_STANDBY) + "; " + postgres.logTail());
        }
    }

    /**
     * Ends replication for good: what is committed on the primary after this returns never reaches the standby, not even
     * when it is promoted. What has reached it before is kept, whether replayed yet or not; to be sure of that,
     * {@link #awaitCaughtUp()} first.
     *
     * <p>Pausing the replay instead ({@code pg_wal_replay_pause()}) would not work: a promotion replays everything
     * received. A standby whose replay is paused keeps its connection, so resume it first.
     */
    public synchronized void disconnect() {
        if (state != State.FOLLOWING) {
            return;
        }
        ask(postgres, FORGET_PRIMARY, RELOAD);
        // Every look is on a new connection. One that no longer knows the primary was made after the server had told
        // all its processes, also the one that would send the receiver out again.
        if (!Waiting.until(LIMIT, () -> isTrue(ask(postgres, HAS_FORGOTTEN_PRIMARY)))) {
            throw new DevServicesException("the standby on port " + postgres.port()
                    + " still receives from its primary " + LIMIT.toSeconds()
                    + " s after it was told to forget it: resume its replay if that is paused; " + postgres.logTail());
        }
        state = State.DISCONNECTED;
        log.info("PostgreSQL on port {} does not follow the one on port {} any more", postgres.port(), primary.port());
    }

    /**
     * Makes the standby a primary, on a new timeline, with everything that it has received. Returns when it accepts
     * writes. The old primary is not involved: if it still runs, there are two.
     *
     * @return the standby's server
     */
    public synchronized DevPostgres promote() {
        if (state == State.PROMOTED) {
            throw new IllegalStateException("the standby on port " + postgres.port() + " has been promoted already");
        }
        if (!isTrue(ask(postgres, PROMOTE.formatted(LIMIT.toSeconds())))) {
            throw new DevServicesException("the standby on port " + postgres.port() + " was not promoted within "
                    + LIMIT.toSeconds() + " s; " + postgres.logTail());
        }
        state = State.PROMOTED;
        log.info("PostgreSQL on port {} is promoted", postgres.port());
        return postgres;
    }

    /** Ends the standby's server, promoted or not, and deletes its data. */
    @Override
    public void close() {
        postgres.close();
    }

    /** Executes the statements on a connection of their own, and returns the one value that the last of them returns. */
    private static String ask(DevPostgres server, String... statements) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
            try (ResultSet rows = statement.getResultSet()) {
                rows.next();
                return String.valueOf(rows.getString(1));
            }
        } catch (SQLException e) {
            throw new DevServicesException(
                    "PostgreSQL on port " + server.port() + " does not answer: " + e.getMessage(), e);
        }
    }

    private static boolean isTrue(String value) {
        return value.equals("t");
    }
}
