package dev.postrider.internal.store.jdbc;

import dev.postrider.NetworkTimeouts;
import dev.postrider.internal.lifecycle.Progress;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One connection that a relay's thread keeps for itself, in autocommit mode and with the session
 * settings the store asks for. Used by one thread at a time, except for {@link #cut} and {@link
 * #abort}.
 *
 * <p>After any error the connection is given up and the next call opens a fresh one: what happened to
 * the failed statement is unknown, and a connection in an unknown state is worth nothing.
 *
 * <p>No call waits without a bound: neither for a connection nor for an answer. An answer that did not come in time may have
 * been on its way, from a server that is slow and not gone; so the next time the same work waits longer, or a statement that
 * takes its time would be given up and repeated for ever. Once that work is done in good time again, it was the network: nothing
 * else ever waits longer because of it, and each silence costs the same.
 */
public final class RelaySession implements AutoCloseable {
    /** So much longer than at first an answer is waited for at most. */
    private static final int MAX_FACTOR = 8;

    /** So many answers of a piece of work may take their full time before it looks as if it stood still. */
    private static final int STATEMENTS = 2;

    /** At the end: what has not been told then is told to the next connection's owner, or to nobody. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final OutboxStore store;
    private final Duration timeout;
    private final Connector connector;
    private final Progress progress;
    private volatile @Nullable Connection connection;
    private Action greeting = fresh -> {};

    /** The connection's own, to be restored. */
    private int formerTimeout;

    private int currentMillis;

    /** Work that took too long when it was done last, by its class, which is another one for every place in the code. */
    private final Map<Class<?>, Integer> patience = new HashMap<>();

    /** How long an answer is waited for, in the call under way or the last one. */
    private volatile Duration underWay;

    private boolean ending;
    private volatile boolean aborted;

    /** With the usual timeouts, and nobody who watches. */
    public RelaySession(DataSource dataSource, OutboxStore store) {
        this(dataSource, store, NetworkTimeouts.DEFAULT.connect(), NetworkTimeouts.DEFAULT.answer(), new Progress());
    }

    /**
     * @param connect how long a connection is waited for
     * @param answer how long an answer
     * @param progress of the thread that uses it
     */
    public RelaySession(
            DataSource dataSource, OutboxStore store, Duration connect, Duration answer, Progress progress) {
        this.store = store;
        this.timeout = answer;
        this.underWay = answer;
        this.connector = new Connector(dataSource, connect);
        this.progress = progress;
    }

    /** A piece of work on the connection. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException;
    }

    /** One that has no result. */
    @FunctionalInterface
    public interface Action {
        void on(Connection connection) throws SQLException;
    }

    /**
     * @param first what is done on every new connection before anything else
     */
    public void onOpen(Action first) {
        greeting = first;
    }

    public void run(Action action) throws SQLException {
        call(action.getClass(), withoutResult(action));
    }

    public <T extends @Nullable Object> T call(Work<T> work) throws SQLException {
        return call(work.getClass(), work);
    }

    /** Patience is kept by the kind of work: the class of the lambda that does it. */
    private <T extends @Nullable Object> T call(Class<?> kind, Work<T> work) throws SQLException {
        Connection current = ready();
        Duration atMost = timeoutOf(kind);
        long began = System.nanoTime();
        underWay = atMost;
        awaitCall();
        try {
            awaitAnswers(current, atMost);
            T result = work.on(current);
            progress.step();
            if (System.nanoTime() - began < timeout.toNanos()) {
                patience.remove(kind);
            }
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            if (e instanceof SQLException && System.nanoTime() - began >= atMost.toNanos()) {
                patience.merge(kind, 2, (before, twice) -> Math.min(before * twice, MAX_FACTOR));
            }
            giveUp(current, e);
            throw e;
        }
    }

    private static Work<Boolean> withoutResult(Action action) {
        return connection -> {
            action.on(connection);
            return true;
        };
    }

    private Duration timeoutOf(Class<?> kind) {
        return ending ? LAST_WORDS : timeout.multipliedBy(patience.getOrDefault(kind, 1));
    }

    /**
     * By the thread that is watched, before it waits for a call: as long as that may take, it does not stand still. To be said
     * again if the call is made by another thread, because a step made since has ended the allowance.
     */
    public void awaitCall() {
        progress.longStep(underWay.multipliedBy(STATEMENTS));
    }

    private void awaitAnswers(Connection current, Duration atMost) throws SQLException {
        int millis = Math.toIntExact(atMost.toMillis());
        if (millis != currentMillis) {
            setTimeout(current, atMost);
            currentMillis = millis;
        }
    }

    /** For work whose statements may take longer than others. */
    public void runWithTimeout(Duration atMost, Action action) throws SQLException {
        callWithTimeout(atMost, withoutResult(action));
    }

    /** The same, with a result. */
    public <T extends @Nullable Object> T callWithTimeout(Duration atMost, Work<T> work) throws SQLException {
        Connection current = ready();
        try {
            progress.longStep(atMost);
            awaitAnswers(current, ending ? LAST_WORDS : atMost);
            T result = work.on(current);
            progress.step();
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            giveUp(current, e);
            throw e;
        }
    }

    /** By work of several steps: another one is done. */
    public void step() {
        progress.step();
    }

    /** By work on the connection: the step that begins now, which has nothing to do with it, may take that much longer. */
    public void longStep(Duration longer) {
        progress.longStep(longer);
    }

    private Connection ready() throws SQLException {
        Connection current = connection;
        return current == null ? open() : current;
    }

    private Connection open() throws SQLException {
        Connection fresh = ending ? connector.connect(LAST_WORDS) : connector.connect();
        formerTimeout = 0;
        try {
            progress.step();
            Duration usual = ending ? LAST_WORDS : timeout;
            formerTimeout = setTimeout(fresh, usual);
            currentMillis = Math.toIntExact(usual.toMillis());
            fresh.setAutoCommit(true);
            store.prepareRelaySession(fresh);
            progress.step();
            greeting.on(fresh);
            progress.step();
        } catch (SQLException | RuntimeException | Error e) {
            letGo(fresh, e);
            throw e;
        }
        connection = fresh;
        if (aborted) {
            cut();
        }
        return fresh;
    }

    /**
     * @return what it was before
     */
    public static int setTimeout(Connection connection, Duration timeout) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(timeout.toMillis()));
            return before;
        } catch (SQLFeatureNotSupportedException e) {
            return 0;
        }
    }

    /** From now on nothing is waited for but for a moment: the relay is about to stop. By the thread that uses it. */
    public void hurry() {
        ending = true;
        Connection current = connection;
        if (current != null) {
            try {
                awaitAnswers(current, LAST_WORDS);
            } catch (SQLException e) {
                giveUp(current, e);
            }
        }
    }

    /** Restores the session's settings, so that a pool can hand the connection to somebody else. */
    @Override
    public void close() {
        hurry();
        connector.giveUp();
        Connection current = connection;
        connection = null;
        if (current != null) {
            giveBack(current);
        }
    }

    private void giveBack(Connection sound) {
        try {
            store.restoreSession(sound);
            setTimeout(sound, Duration.ofMillis(formerTimeout));
            sound.close();
        } catch (SQLException e) {
            abandon(sound, formerTimeout, e);
        }
    }

    /**
     * Ends whatever is under way with an error; the next call opens a fresh connection. Any thread; returns at once, because
     * there are drivers that open another connection in order to end this one.
     */
    public void cut() {
        Connection current = connection;
        if (current != null) {
            Thread cutting = new Thread(() -> abort(current), "postrider-abort");
            cutting.setDaemon(true);
            cutting.start();
        }
    }

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // Then its network timeout has to do.
        }
    }

    /** As {@link #cut}, and every call from now on fails at once. */
    public void abort() {
        aborted = true;
        connector.giveUp();
        cut();
    }

    private void giveUp(Connection broken, Throwable cause) {
        connection = null;
        letGo(broken, cause);
    }

    /** If the server has answered, the connection is sound: then a pool need not complain of a broken one. */
    private void letGo(Connection used, Throwable cause) {
        if (cause instanceof SQLException error && SqlErrors.isAnswer(error) && isOutOfTransaction(used)) {
            giveBack(used);
        } else {
            abandon(used, formerTimeout, cause);
        }
    }

    private static boolean isOutOfTransaction(Connection connection) {
        try {
            if (connection.isClosed()) {
                return false;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Aborted, not closed: a pool must not hand this connection to anybody else.
     *
     * @param formerTimeout what {@link #setTimeout} returned
     */
    public static void abandon(Connection broken, int formerTimeout, Throwable cause) {
        try {
            // Or a pool would try to when it is closed, and complain that it is.
            setTimeout(broken, Duration.ofMillis(formerTimeout));
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
        try {
            broken.abort(Runnable::run);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
        try {
            broken.close();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
