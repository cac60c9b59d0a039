package dev.postrider.internal.store.jdbc;

import dev.postrider.PostriderException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Creates and updates the tables of an outbox or inbox. */
public final class Migrations {
    private Migrations() {}

    /**
     * @return how many migrations were applied; 0 if the tables were up to date
     */
    public static int migrate(DataSource dataSource, Schema schema) {
        try (Connection connection = dataSource.getConnection()) {
            if (new SchemaState(schema, connection).isCurrent()) {
                return 0;
            }
            return schema.database().migrate(connection, schema);
        } catch (SQLException e) {
            throw new PostriderException(
                    "The tables of " + schema + " cannot be created or updated: " + firstLine(e) + " Run '"
                            + schema.command() + "' again when that is mended.",
                    e);
        }
    }

    /** Of a connection that may be lost: what went wrong before is what has to be told. */
    public static void restore(Connection connection, boolean autoCommit) {
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            // It is of no use to anybody any more, and whoever owns it will notice.
        }
    }

    /** As a sentence. */
    private static String firstLine(SQLException e) {
        String line =
                String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
        return line.endsWith(".") ? line : line + ".";
    }
}
