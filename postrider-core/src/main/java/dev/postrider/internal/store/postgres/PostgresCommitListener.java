package dev.postrider.internal.store.postgres;

import dev.postrider.NetworkTimeouts;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.store.OutboxStore.CommitListener;
import dev.postrider.internal.store.jdbc.Connector;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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

    /** So often it is asked whether there still is somebody at the other end. */
    private static final long PROBE_INTERVAL = Duration.ofSeconds(20).toNanos();

    private static final Duration RECONNECT = Duration.ofSeconds(1);

    private final Connector connector;
    private final Duration timeout;
    private final Channel channel;
    private final String name;
    private final Runnable onCommit;
    private final Service service;
    private @Nullable Connection connection;
    private int formerTimeout;
    private long probedAt;

    /**
     * What is listened to.
     *
     * @param deafTo who sends notifications that are not for this listener
     */
    record Channel(String name, String deafTo) {}

    private PostgresCommitListener(
            DataSource dataSource, NetworkTimeouts network, Channel channel, String name, Runnable onCommit) {
        this.connector = new Connector(dataSource, network.connect());
        this.timeout = network.answer();
        this.channel = channel;
        this.name = name;
        this.onCommit = onCommit;
        this.service = Service.named("postrider-" + name + "-listen")
                .onFailure(this::interrupted)
                .atEnd(this::end)
                .doing(this::listen);
    }

    static PostgresCommitListener start(
            DataSource dataSource, NetworkTimeouts network, Channel channel, String name, Runnable onCommit) {
        PostgresCommitListener listener = new PostgresCommitListener(dataSource, network, channel, name, onCommit);
        listener.service.start();
        return listener;
    }

    private long listen() throws SQLException {
        Connection current = connection;
        if (current == null) {
            current = connector.connect();
            connection = current;
            formerTimeout = RelaySession.setTimeout(current, timeout);
            current.setAutoCommit(true);
            execute(current, "listen \"" + channel.name() + "\"");
            probedAt = System.nanoTime();
            onCommit.run();
        }
        PGNotification[] received = current.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
        if (received != null && received.length > 0) {
            if (Stream.of(received).anyMatch(one -> !one.getParameter().equals(channel.deafTo()))) {
                onCommit.run();
            }
        } else if (System.nanoTime() - probedAt > PROBE_INTERVAL) {
            execute(current, "select 1");
        } else {
            return 0;
        }
        probedAt = System.nanoTime();
        return 0;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long interrupted(Throwable e, boolean again) {
        Connection broken = connection;
        connection = null;
        if (e instanceof Error) {
            log.error("[{}] listening for commits was interrupted", name, e);
        } else {
            log.debug("[{}] listening for commits was interrupted: {}", name, e.getMessage());
        }
        if (broken != null) {
            RelaySession.abandon(broken, formerTimeout, e);
        }
        return RECONNECT.toNanos();
    }

    private void end() {
        connector.giveUp();
        Connection current = connection;
        connection = null;
        if (current != null) {
            try {
                execute(current, "unlisten *");
                RelaySession.setTimeout(current, Duration.ofMillis(formerTimeout));
                current.close();
            } catch (SQLException e) {
                RelaySession.abandon(current, formerTimeout, e);
            }
        }
    }

    @Override
    public void askToStop() {
        service.askToStop();
    }

    @Override
    public void close() {
        service.stop(Duration.ofMillis(2L * WAIT_MILLIS));
    }
}
