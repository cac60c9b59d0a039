package dev.postrider.internal.store.mysql;

import dev.postrider.admin.Discarded;
import dev.postrider.admin.Retried;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.jdbc.AdminDialect;
import dev.postrider.internal.store.jdbc.Times;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** MariaDB and MySQL: lists are JSON, and a change is several statements in the operator's transaction. */
record MySqlAdminDialect(MySqlAdminSql sql) implements AdminDialect {

    /** Only this transaction; to be said before its first statement. */
    private static final String READ_COMMITTED = "set transaction isolation level read committed";

    /** What stands behind a chosen id: a letter or none, and the row of its event or none. */
    private record Chosen(
            long letter,
            @Nullable String eventId,
            boolean lettered,
            @Nullable Long row) {}

    @Override
    public Times times() {
        return Times.IN_UTC;
    }

    @Override
    public void bindIds(PreparedStatement statement, int index, List<Long> ids) throws SQLException {
        statement.setString(index, JsonRows.ofValues(ids));
    }

    @Override
    public void bindEventIds(PreparedStatement statement, int index, List<UUID> ids) throws SQLException {
        statement.setString(index, JsonRows.ofValues(ids));
    }

    @Override
    public void beginChange(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(READ_COMMITTED);
            statement.execute(sql.waitForOperators);
        }
    }

    /** Every statement names its index. */
    @Override
    public void walkAlongIndexes(Connection connection) {}

    @Override
    public Retried retry(Connection connection, List<Long> ids, Map<Long, String> hashes, String actor)
            throws SQLException {
        List<Chosen> chosen = findRows(connection, ids);
        Map<Long, String> dead = lockDead(connection, chosen);
        bringBack(connection, chosen, dead, hashes);
        Set<String> again = insertAgain(connection, chosen, hashes);
        List<Long> letters = chosen.stream()
                .filter(one -> one.row() != null || again.contains(one.eventId()))
                .map(Chosen::letter)
                .toList();
        update(connection, sql.deleteLetters, JsonRows.ofIds(letters));
        noteThoseWithoutLetter(connection, chosen, dead, actor);
        long found = chosen.stream().filter(one -> one.row() != null).count();
        return new Retried(dead.size(), again.size(), found - dead.size(), chosen.size() - letters.size());
    }

    @Override
    public Discarded discard(Connection connection, List<Long> ids, String actor) throws SQLException {
        List<Chosen> chosen = findRows(connection, ids);
        Map<Long, String> dead = lockDead(connection, chosen);
        update(connection, sql.deleteRows, JsonRows.ofIds(dead.keySet()));
        update(connection, sql.deleteLetters, JsonRows.ofIds(ids));
        noteThoseWithoutLetter(connection, chosen, dead, actor);
        long found = chosen.stream().filter(one -> one.row() != null).count();
        return new Discarded(dead.size() + chosen.size() - found, found - dead.size());
    }

    private List<Chosen> findRows(Connection connection, List<Long> ids) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(sql.findRows)) {
            find.setString(1, JsonRows.ofIds(ids));
            try (ResultSet row = find.executeQuery()) {
                List<Chosen> chosen = new ArrayList<>();
                while (row.next()) {
                    chosen.add(new Chosen(
                            row.getLong("outbox_id"),
                            row.getString("event_id"),
                            row.getBoolean("lettered"),
                            row.getObject("row_id", Long.class)));
                }
                return chosen;
            }
        }
    }

    /** The events of rows that are dead, by id. */
    private Map<Long, String> lockDead(Connection connection, List<Chosen> chosen) throws SQLException {
        List<Long> rows = chosen.stream()
                .map(Chosen::row)
                .filter(Objects::nonNull)
                .distinct()
                .sorted()
                .toList();
        try (PreparedStatement lock = connection.prepareStatement(sql.lockDead)) {
            lock.setString(1, JsonRows.ofIds(rows));
            try (ResultSet row = lock.executeQuery()) {
                Map<Long, String> dead = new HashMap<>();
                while (row.next()) {
                    dead.put(row.getLong("id"), row.getString("event_id"));
                }
                return dead;
            }
        }
    }

    private void bringBack(Connection connection, List<Chosen> chosen, Map<Long, String> dead, Map<Long, String> hashes)
            throws SQLException {
        List<Chosen> back = chosen.stream()
                .filter(one -> one.row() != null && dead.containsKey(one.row()))
                .toList();
        update(
                connection,
                sql.bringBackAll,
                JsonRows.of(back, one -> Arrays.asList(one.row(), hashes.get(one.letter()))));
    }

    /** In the order of the old ids, so that the new ones have it too; an event that has two letters, once. */
    private Set<String> insertAgain(Connection connection, List<Chosen> chosen, Map<Long, String> hashes)
            throws SQLException {
        Set<String> tried = new LinkedHashSet<>();
        Set<String> inserted = new LinkedHashSet<>();
        try (PreparedStatement insert = connection.prepareStatement(sql.insertAgain)) {
            for (Chosen one : chosen) {
                if (one.row() != null || one.eventId() == null || !tried.add(one.eventId())) {
                    continue;
                }
                insert.setString(1, hashes.get(one.letter()));
                insert.setLong(2, one.letter());
                if (SqlErrors.unlessDuplicate(insert::executeUpdate) == 1) {
                    inserted.add(one.eventId());
                }
            }
        }
        return inserted;
    }

    private void noteThoseWithoutLetter(
            Connection connection, List<Chosen> chosen, Map<Long, String> dead, String actor) throws SQLException {
        for (Chosen one : chosen) {
            String event = one.row() == null ? null : dead.get(one.row());
            if (!one.lettered() && event != null) {
                update(connection, sql.common.noteHandled(), actor, event, event);
            }
        }
    }

    private static void update(Connection connection, String statement, String... parameters) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setString(i + 1, parameters[i]);
            }
            update.executeUpdate();
        }
    }
}
