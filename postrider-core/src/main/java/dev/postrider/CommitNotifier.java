package dev.postrider;

import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Connector;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies relays in other processes that events were committed, so that they need not wait for their next poll. Call
 * {@link #committed()} after each commit: it only sets a flag. A separate thread sends one notification for all commits
 * since the last one, on its own connection; never inside a business transaction, where it would make commits wait for
 * each other.
 *
 * <p>For a relay in the same process call {@link Relay#nudge()} instead. An outbox with a current transaction calls
 * either of them by itself: {@link Outbox.Builder#afterCommit}.
 */
public final class CommitNotifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CommitNotifier.class);

    private static final long IDLE = Duration.ofMinutes(1).toNanos();
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final OutboxTable table;
    private final Connector connector;
    private final AtomicBoolean commits = new AtomicBoolean();
    private final Service service;
    private @Nullable Connection connection;
    private @Nullable OutboxStore store;
    private int formerTimeout;

    private CommitNotifier(DataSource dataSource, OutboxTable table) {
        this.table = table;
        this.connector = new Connector(dataSource, NetworkTimeouts.DEFAULT.connect());
        this.service = Service.named("postrider-" + table + "-notify")
                .onFailure(this::notTold)
                .atEnd(this::end)
                .doing(this::tell);
    }

    public static CommitNotifier start(DataSource dataSource, OutboxTable table) {
        CommitNotifier notifier = new CommitNotifier(dataSource, table);
        notifier.service.start();
        return notifier;
    }

    /** A transaction with events in it has committed. Any thread; returns at once. */
    public void committed() {
        if (!commits.get()) {
            commits.set(true);
            service.wake();
        }
    }

    private long tell() throws SQLException {
        Connection current = connection;
        OutboxStore speaking = store;
        if (current == null || speaking == null) {
            current = connector.connect();
            connection = current;
            formerTimeout = RelaySession.setTimeout(current, NetworkTimeouts.DEFAULT.answer());
            current.setAutoCommit(true);
            speaking = Databases.of(current).outboxStore(table);
            store = speaking;
        }
        if (commits.getAndSet(false)) {
            speaking.notifyCommit(current);
        }
        return IDLE;
    }

    private long notTold(Throwable e, boolean again) {
        Connection broken = connection;
        connection = null;
        if (!again) {
            log.warn("[{}] relays cannot be notified of commits and find them by polling: {}", table, e.toString());
        }
        if (broken != null) {
            RelaySession.abandon(broken, formerTimeout, e);
        }
        return PAUSE.toNanos();
    }

    private void end() {
        connector.giveUp();
        Connection current = connection;
        connection = null;
        if (current != null) {
            try (current) {
                RelaySession.setTimeout(current, Duration.ofMillis(formerTimeout));
            } catch (SQLException e) {
                // It was of no more use anyway.
            }
        }
    }

    @Override
    public void close() {
        service.stop(PAUSE);
    }
}
