package dev.postrider.internal.store.jdbc;

import dev.postrider.PostriderException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far the tables of an outbox or inbox are, and whether they are Postrider's at all. Changes nothing. */
public final class SchemaState {
    private final Schema schema;
    private final Connection connection;
    private final TableShape shape;

    public SchemaState(Schema schema, Connection connection) {
        this.schema = schema;
        this.connection = connection;
        this.shape = new TableShape(connection, schema.database().catalogue());
    }

    /**
     * Whether there is nothing to do. Needs no lock: who completes the tables says so last.
     *
     * @throws PostriderException if they were changed since
     */
    boolean isCurrent() throws SQLException {
        if (!settingsAreThere() || !String.valueOf(known()).equals(storedVersion())) {
            return false;
        }
        requireShape(known());
        return true;
    }

    /**
     * The version of the tables; 0 if there is none yet. For whoever holds the lock.
     *
     * @throws PostriderException if these tables are not to be touched
     */
    public int version() throws SQLException {
        return version(false);
    }

    /** As {@link #version()}, where every statement about tables commits: 0 also if there is part of them. */
    public int versionOfWhole() throws SQLException {
        return version(true);
    }

    private int version(boolean mayBePartly) throws SQLException {
        List<String> there = new ArrayList<>();
        for (ExpectedSchema.Table table : schema.tables(known())) {
            if (shape.exists(table.sql())) {
                there.add(table.sql());
            }
        }
        if (there.isEmpty()) {
            return 0;
        }
        if (!settingsAreThere()) {
            throw refuse("The table " + there.get(0) + " is not Postrider's: beside it there is no "
                    + schema.settings() + " with the columns name and value. Choose another name with --table or"
                    + " --inbox, or rename what is there.");
        }
        String stored = storedVersion();
        if (stored == null && mayBePartly && isBegun(there)) {
            return 0;
        }
        int version = mayBePartly && "0".equals(stored) ? 0 : parse(stored);
        if (version > known()) {
            throw refuse("The tables of " + schema + " have version " + version + ", and this Postrider makes version "
                    + known() + ". Nothing was changed; migrate with the newer Postrider.");
        }
        if (version > 0) {
            requireShape(version);
        }
        return version;
    }

    private int known() {
        return schema.files().version();
    }

    private boolean settingsAreThere() throws SQLException {
        ExpectedSchema.Table settings = schema.tables(1).stream()
                .filter(table -> table.sql().equals(schema.settings()))
                .findFirst()
                .orElseThrow();
        return shape.changes(settings).isEmpty();
    }

    private @Nullable String storedVersion() throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("select value from " + schema.settings() + " where name = ?")) {
            select.setString(1, Schema.VERSION);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getString("value") : null;
            }
        }
    }

    /** Without transactions the table may be there and what belongs into it not yet. */
    private boolean isBegun(List<String> there) throws SQLException {
        if (there.size() > 1) {
            return false;
        }
        try (PreparedStatement select = connection.prepareStatement("select 1 from " + schema.settings() + " limit 1");
                ResultSet row = select.executeQuery()) {
            return !row.next();
        }
    }

    private int parse(@Nullable String stored) {
        if (stored != null && stored.matches("[1-9]\\d{0,8}")) {
            return Integer.parseInt(stored);
        }
        throw refuse("There are tables of " + schema + ", but " + schema.settings() + " has no " + Schema.VERSION
                + ": a script that makes them was broken off, or a version before 0.1.0 made them. Drop or rename them, and"
                + " run '" + schema.command() + "' again.");
    }

    private void requireShape(int version) throws SQLException {
        for (ExpectedSchema.Table table : schema.tables(version)) {
            requireShape(table);
        }
    }

    public void requireShape(ExpectedSchema.Table table) throws SQLException {
        if (!shape.exists(table.sql())) {
            throw refuse("The table " + table.sql() + " of " + schema + " is missing. Nothing was changed; '"
                    + schema.command() + " --print' shows how to create it.");
        }
        List<String> changes = shape.changes(table);
        if (!changes.isEmpty()) {
            throw refuse("The table " + table.sql() + " is not as Postrider made it: " + String.join(", ", changes)
                    + ". Nothing was changed; make it what '" + schema.command()
                    + " --print' shows. Columns of your own are welcome if they may be null.");
        }
    }

    private static PostriderException refuse(String sentence) {
        return new PostriderException(sentence);
    }
}
