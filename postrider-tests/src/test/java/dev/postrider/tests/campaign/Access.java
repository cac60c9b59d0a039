package dev.postrider.tests.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The direct way to a configuration's database.
 *
 * @param deadLetterFile where relays put dead letters that the table does not take
 */
record Access(Configuration configuration, String url, String user, String password, Path deadLetterFile) {
    private static final Pattern EVENT_ID = Pattern.compile("\"event_id\":\"([0-9a-f-]{36})\"");

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

    /** Events that are dead letters: in the table, or in the file, as where the table has one of the same id from before it was truncated. */
    Set<UUID> deadLetters() throws SQLException, IOException {
        Set<UUID> dead = new HashSet<>();
        for (String id : rows("select event_id from outbox_dead_letter")) {
            try {
                dead.add(UUID.fromString(id));
            } catch (IllegalArgumentException e) {
                // Of a hostile row.
            }
        }
        if (Files.exists(deadLetterFile)) {
            try (Stream<String> lines = Files.lines(deadLetterFile)) {
                lines.map(EVENT_ID::matcher)
                        .filter(Matcher::find)
                        .forEach(found -> dead.add(UUID.fromString(found.group(1))));
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
