package dev.postrider.internal.store.database;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.mysql.MySqlDatabase;
import dev.postrider.internal.store.postgres.PostgresDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Chooses the database that a connection leads to. The only place where that is asked. */
public final class Databases {
    private static final Database POSTGRES = new PostgresDatabase();
    private static final Database MYSQL = new MySqlDatabase();

    private Databases() {}

    /**
     * @throws PostriderException if it is a database, or a version of one, that Postrider cannot use
     */
    public static Database of(Connection connection) throws SQLException {
        if (connection.isWrapperFor(ConnectionWithStores.class)) {
            return new GivenStores(connection.unwrap(ConnectionWithStores.class));
        }
        return of(DatabaseFamily.of(connection));
    }

    public static Database of(DatabaseFamily family) {
        return switch (family) {
            case POSTGRESQL -> POSTGRES;
            case MYSQL -> MYSQL;
        };
    }

    /**
     * Asks a connection of its own.
     *
     * @param table that is to be used there, for sentences
     */
    public static Database of(DataSource dataSource, OutboxTable table) {
        try (Connection connection = dataSource.getConnection()) {
            return of(connection);
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
    }
}
