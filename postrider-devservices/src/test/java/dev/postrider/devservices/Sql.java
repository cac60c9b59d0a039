package dev.postrider.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** One statement on a connection of its own. */
final class Sql {

    static void execute(DevPostgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String query(DevPostgres postgres, String sql) throws SQLException {
        try (Connection connection = connect(postgres)) {
            return query(connection, sql);
        }
    }

    static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    static Connection connect(DevPostgres postgres) throws SQLException {
        return DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
    }

    private Sql() {}
}
