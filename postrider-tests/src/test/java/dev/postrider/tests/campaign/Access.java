package dev.postrider.tests.campaign;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The direct way to a configuration's database. */
record Access(Configuration configuration, String url, String user, String password) {

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** The database and its version. */
    String product() throws SQLException {
        try (Connection connection = connect()) {
            String version = connection.getMetaData().getDatabaseProductVersion();
            return connection.getMetaData().getDatabaseProductName() + " " + version.split("[ -]")[0];
        }
    }

    String uuidParameter() {
        return configuration.isMariaDb() ? "?" : "?::uuid";
    }

    String now() {
        return configuration.isMariaDb() ? "utc_timestamp(6)" : "now()";
    }

    /** Events that are dead letters. */
    Set<UUID> deadLetters() throws SQLException {
        Set<UUID> dead = new HashSet<>();
        for (String id : rows("select event_id from outbox_dead_letter")) {
            try {
                dead.add(UUID.fromString(id));
            } catch (IllegalArgumentException e) {
                // Of a hostile row.
            }
        }
        return dead;
    }

    /** Every row as one text, its columns separated by {@code " | "}. */
    List<String> rows(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                StringBuilder text = new StringBuilder();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    text.append(column == 1 ? "" : " | ").append(rows.getString(column));
                }
                texts.add(text.toString());
            }
            return texts;
        }
    }
}
