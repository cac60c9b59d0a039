package dev.postrider.examples.transfer.demo;

import dev.postrider.devservices.DevPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A database of one of the applications, as somebody sees it who asks it questions. */
final class Database {
    private final DevPostgres postgres;
    private final String url;

    Database(DevPostgres postgres, String name) {
        this.postgres = postgres;
        this.url = postgres.createDatabase(name);
    }

    String url() {
        return url;
    }

    String user() {
        return postgres.user();
    }

    String password() {
        return postgres.password();
    }

    /** The first column of the first row. */
    String ask(String sql, String... parameters) {
        try (Connection connection = DriverManager.getConnection(url, user(), password());
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long count(String sql, String... parameters) {
        return Long.parseLong(ask(sql, parameters));
    }
}
