package dev.postrider.store.jdbc;

import dev.postrider.store.OutboxStore.CommitListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * LISTENs on a connection of its own. When the connection is lost it opens another, and calls back
 * once, since notifications may have been missed. Behind a pooler that hands out transactions instead
 * of sessions nothing arrives; then polling alone finds events.
 */
final class PostgresCommitListener implements CommitListener {
    private static final Logger log = LoggerFactory.getLogger(PostgresCommitListener.class);

    /** The driver waits on the socket; now and then it comes back so that the end is noticed. */
    private static final int WAIT_MILLIS = 300;

    private static final long RECONNECT_MILLIS = 1_000;

    private final DataSource dataSource;
    private final String channel;
    private final String name;
    private final Runnable onCommit;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private PostgresCommitListener(DataSource dataSource, String channel, String name, Runnable onCommit) {
        this.dataSource = dataSource;
        this.channel = channel;
        this.name = name;
        this.onCommit = onCommit;
        this.thread = new Thread(this::listenUntilClosed, "postrider-" + name + "-listen");
        this.thread.setDaemon(true);
    }

    static PostgresCommitListener start(DataSource dataSource, String channel, String name, Runnable onCommit) {
        PostgresCommitListener listener = new PostgresCommitListener(dataSource, channel, name, onCommit);
        listener.thread.start();
        return listener;
    }

    private void listenUntilClosed() {
        do {
            try (Connection connection = dataSource.getConnection()) {
                listen(connection);
            } catch (SQLException e) {
                log.debug("[{}] listening for commits was interrupted: {}", name, e.getMessage());
            }
        } while (!isClosedAfter(RECONNECT_MILLIS));
    }

    private void listen(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        execute(connection, "listen \"" + channel + "\"");
        onCommit.run();
        PGConnection notifications = connection.unwrap(PGConnection.class);
        while (!isClosedAfter(0)) {
            PGNotification[] received = notifications.getNotifications(WAIT_MILLIS);
            if (received != null && received.length > 0) {
                onCommit.run();
            }
        }
        execute(connection, "unlisten *");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private boolean isClosedAfter(long millis) {
        try {
            return closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(2L * WAIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
