package dev.postrider;

import dev.postrider.store.OutboxStore;
import dev.postrider.store.jdbc.JdbcStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells relays in other processes that events were committed, so that they need not wait for their
 * next look. Call {@link #committed()} after each commit: it costs nothing but a flag. A thread of its
 * own sends one notification for all commits since the last, on a connection of its own; never inside
 * a business transaction, where it would make commits wait for each other.
 *
 * <p>For a relay in the same process call {@link Relay#nudge()} instead.
 */
public final class CommitNotifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CommitNotifier.class);

    private final DataSource dataSource;
    private final OutboxTable table;
    private final Semaphore commits = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closed;

    private CommitNotifier(DataSource dataSource, OutboxTable table) {
        this.dataSource = dataSource;
        this.table = table;
        this.thread = new Thread(this::notifyUntilClosed, "postrider-" + table + "-notify");
        this.thread.setDaemon(true);
    }

    public static CommitNotifier start(DataSource dataSource, OutboxTable table) {
        CommitNotifier notifier = new CommitNotifier(dataSource, table);
        notifier.thread.start();
        return notifier;
    }

    /** A transaction with events in it has committed. Any thread; returns at once. */
    public void committed() {
        if (commits.availablePermits() == 0) {
            commits.release();
        }
    }

    private void notifyUntilClosed() {
        boolean failing = false;
        while (!closed) {
            try (Connection connection = dataSource.getConnection()) {
                connection.setAutoCommit(true);
                OutboxStore store = JdbcStores.forConnection(connection, table);
                failing = false;
                while (!closed) {
                    commits.acquire();
                    commits.drainPermits();
                    store.notifyCommit(connection);
                }
            } catch (SQLException e) {
                if (!failing && !closed) {
                    log.warn(
                            "[{}] relays cannot be told of commits, they look by themselves: {}",
                            table,
                            e.getMessage());
                }
                failing = true;
                pause();
            } catch (InterruptedException e) {
                closed = true;
            }
        }
    }

    private void pause() {
        synchronized (this) {
            if (!closed) {
                try {
                    wait(1_000);
                } catch (InterruptedException e) {
                    closed = true;
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        thread.interrupt();
    }
}
