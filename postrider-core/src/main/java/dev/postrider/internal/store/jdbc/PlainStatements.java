package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What every family of databases is asked in the same way, each in its own words. */
public final class PlainStatements {
    private final OutboxTable table;
    private final Words words;
    private final Times times;

    public PlainStatements(OutboxTable table, Words words, Times times) {
        this.table = table;
        this.words = words;
        this.times = times;
    }

    /** The statements. */
    public record Words(
            String outlook,
            String deathsOfSuspects,
            String renewInstance,
            String releaseLease,
            String setting,
            String putNote,
            String now) {}

    public OutboxStore.Outlook outlook(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(words.outlook());
                ResultSet row = look.executeQuery()) {
            row.next();
            return new OutboxStore.Outlook(row.getBoolean("suspects"), EventRows.secondsOrNull(row, "next_due"));
        }
    }

    public List<Integer> deathsOfSuspects(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(words.deathsOfSuspects());
                ResultSet row = look.executeQuery()) {
            List<Integer> deaths = new ArrayList<>();
            while (row.next()) {
                deaths.add(row.getInt(1));
            }
            return deaths;
        }
    }

    public void renewInstance(Connection connection, String owner, Duration length, String state) throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(words.renewInstance())) {
            renew.setString(1, owner);
            renew.setString(2, owner);
            renew.setLong(3, length.toMillis());
            renew.setString(4, state);
            renew.executeUpdate();
        }
    }

    public void releaseLease(Connection connection, String name, String owner) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(words.releaseLease())) {
            release.setString(1, name);
            release.setString(2, owner);
            release.executeUpdate();
        }
    }

    @Nullable
    public String note(Connection connection, String name) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(words.setting())) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    public void putNote(Connection connection, String name, String text) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement(words.putNote())) {
            put.setString(1, name);
            put.setString(2, text);
            put.executeUpdate();
        }
    }

    public String setting(Connection connection, String name) throws SQLException {
        String value = note(connection, name);
        if (value == null) {
            throw new PostriderException(
                    "Outbox " + table + " has no setting [" + name + "]: a row of its settings was deleted.");
        }
        return value;
    }

    public Instant now(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(words.now());
                ResultSet row = select.executeQuery()) {
            row.next();
            return times.read(row, "now");
        }
    }
}
