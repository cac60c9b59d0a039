package dev.postrider.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gets connections within a bound, whatever the data source does: a driver may wait for a silent network, a pool for a
 * connection to be given back. The data source is asked on a thread of its own; what it brings late is used by the next
 * attempt. One that has brought nothing for a long time is left behind, and what it still brings is closed: a driver without
 * timeouts may wait for ever, while another connection could be had at once.
 *
 * <p>Used by one thread at a time, except for {@link #giveUp}.
 */
public final class Connector {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final Source source;
    private final Duration timeout;

    private @Nullable CompletableFuture<Connection> underWay;
    private long begunAt;
    private Duration leftBehindAfter;
    private boolean givenUp;

    /** Where connections come from. */
    @FunctionalInterface
    public interface Source {
        Connection getConnection() throws SQLException;
    }

    public Connector(DataSource dataSource, Duration timeout) {
        this((Source) dataSource::getConnection, timeout);
    }

    public Connector(Source source, Duration timeout) {
        this.source = source;
        this.timeout = timeout;
        this.leftBehindAfter = timeout.multipliedBy(2);
    }

    public Connection connect() throws SQLException {
        return connect(timeout);
    }

    /**
     * @param atMost less than the usual time
     */
    Connection connect(Duration atMost) throws SQLException {
        CompletableFuture<Connection> attempt = attempt();
        try {
            Connection connection = attempt.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            finished(attempt);
            return connection;
        } catch (TimeoutException e) {
            throw new SQLTransientConnectionException(
                    "there was no connection within " + atMost.toMillis() + " ms", "08001", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while waiting for a connection", "08001", e);
        } catch (ExecutionException e) {
            finished(attempt);
            Throwable cause = e.getCause();
            if (cause instanceof SQLException failed) {
                throw failed;
            }
            if (cause instanceof Error failed) {
                throw failed;
            }
            throw cause instanceof RuntimeException failed ? failed : new IllegalStateException(cause);
        }
    }

    private synchronized CompletableFuture<Connection> attempt() throws SQLException {
        if (givenUp) {
            throw new SQLTransientConnectionException("this session has been closed", "08003");
        }
        CompletableFuture<Connection> attempt = underWay;
        if (attempt != null && !attempt.isDone() && System.nanoTime() - begunAt > leftBehindAfter.toNanos()) {
            attempt.thenAccept(Connector::close);
            attempt = null;
            // Threads that never end must not become many.
            Duration longer = leftBehindAfter.multipliedBy(2);
            leftBehindAfter = longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
        }
        if (attempt == null) {
            attempt = new CompletableFuture<>();
            begunAt = System.nanoTime();
            CompletableFuture<Connection> begun = attempt;
            Thread thread =
                    new Thread(() -> connectFor(begun), Thread.currentThread().getName() + "-connect");
            thread.setDaemon(true);
            thread.start();
            underWay = begun;
        }
        return attempt;
    }

    private void connectFor(CompletableFuture<Connection> attempt) {
        try {
            attempt.complete(source.getConnection());
        } catch (Throwable e) {
            attempt.completeExceptionally(e);
        }
    }

    private synchronized void finished(CompletableFuture<Connection> attempt) {
        if (underWay == attempt) {
            underWay = null;
        }
        leftBehindAfter = timeout.multipliedBy(2);
    }

    /** Nobody wants a connection any more; one that still comes is closed. Any thread; returns at once. */
    public void giveUp() {
        CompletableFuture<Connection> attempt;
        synchronized (this) {
            givenUp = true;
            attempt = underWay;
            underWay = null;
        }
        if (attempt != null) {
            attempt.thenAccept(Connector::close);
        }
    }

    private static void close(Connection late) {
        try {
            late.close();
        } catch (SQLException e) {
            // Nobody has used it.
        }
    }
}
