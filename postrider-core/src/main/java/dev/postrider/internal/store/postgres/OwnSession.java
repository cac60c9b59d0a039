package dev.postrider.internal.store.postgres;

import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Whether a connection is a session of a PostgreSQL server of its own. Behind a pooler that hands out transactions, settings and
 * locks of a session stay with whichever server process was behind it, and with whoever gets that next.
 *
 * <p>The server tells each client the number of its process when it connects; a pooler tells a number of its own, since many
 * clients share a process. A pooler of sessions does so too and cannot be told apart: that is what {@link Pooling#SESSION} is for.
 */
final class OwnSession {
    private OwnSession() {}

    /**
     * @param connection in autocommit mode: two statements are two transactions
     * @throws PostriderException if there is a pooler
     */
    static void require(Connection connection) throws SQLException {
        int process = process(connection);
        Integer told = toldTheDriver(connection);
        if (told != null && told != process || process(connection) != process) {
            throw new PostriderException(
                    "There is a pooler between here and the database (the server's process behind this"
                            + " connection is not the one that the driver connected to), and relays, migrate and alter need sessions"
                            + " of their own: let db.url lead past the pooler or, if it pools sessions and not transactions, set"
                            + " db.pooling to session.");
        }
    }

    private static int process(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** Null if the driver is another one. */
    private static @Nullable Integer toldTheDriver(Connection connection) throws SQLException {
        try {
            return Driver.backendOf(connection);
        } catch (NoClassDefFoundError e) {
            return null;
        }
    }

    /** Apart, because the driver need not be there. */
    private static final class Driver {
        static @Nullable Integer backendOf(Connection connection) throws SQLException {
            Class<?> driver = PGConnection.class;
            // Whatever stands around the driver's connection may put itself around what it is unwrapped to as well.
            Object unwrapped = connection.isWrapperFor(driver) ? connection.unwrap(driver) : connection;
            return unwrapped instanceof PGConnection known ? known.getBackendPID() : null;
        }
    }
}
