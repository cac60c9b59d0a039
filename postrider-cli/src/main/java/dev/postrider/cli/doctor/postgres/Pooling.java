package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Whether a connection is a session of its own, or a pooler gives it whichever server process is free.
 *
 * <ol>
 *   <li>A connection sets a variable of its session, in autocommit mode.
 *   <li>A second one opens a transaction: behind a pooler it gets the server process that just became free.
 *   <li>The first one looks for its variable.
 * </ol>
 */
final class Pooling implements Check {
    private static final int NETWORK_MILLIS = 5_000;

    private final Supplier<Connection> connections;

    Pooling(Supplier<Connection> connections) {
        this.connections = connections;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        String mark = UUID.randomUUID().toString();
        try (Connection first = open();
                Connection second = open()) {
            ask(first, "select set_config('postrider.doctor', ?, false)", mark);
            second.setAutoCommit(false);
            ask(second, "select ?", mark);
            String found = ask(first, "select coalesce(current_setting('postrider.doctor', true), ?)", "");
            second.rollback();
            return List.of(
                    found.equals(mark)
                            ? Finding.ok("A connection keeps its session.")
                            : Finding.warning(
                                    "A connection does not keep its session: there is a pooler in transaction mode"
                                            + " between here and the server. A relay's planner settings do not hold"
                                            + " there, and it hears of commits by polling only.",
                                    "let db.url of the relay lead past the pooler, or to a pool with pool_mode ="
                                            + " session, and set db.pooling to session"));
        }
    }

    private Connection open() throws SQLException {
        Connection connection = connections.get();
        connection.setNetworkTimeout(Runnable::run, NETWORK_MILLIS);
        return connection;
    }

    private static String ask(Connection connection, String sql, String parameter) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, parameter);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
