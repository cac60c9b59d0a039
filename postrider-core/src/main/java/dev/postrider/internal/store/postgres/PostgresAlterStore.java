package dev.postrider.internal.store.postgres;

import static dev.postrider.internal.store.postgres.Columns.bind;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.jdbc.EventRows;
import dev.postrider.internal.store.jdbc.StoredLayout;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Changes of layout on PostgreSQL. Stateless; any thread with its own connection. */
final class PostgresAlterStore implements AlterStore {
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final Pattern INDEX = Pattern.compile("create index (\\S+) on [^;]+");

    private static final String COMMAND = "changing_command";
    private static final String FROM = "changing_from";
    private static final String TO = "changing_to";
    private static final String STEP = "changing_step";
    private static final String SNAPSHOT = "changing_snapshot";
    private static final String AFTER = "changing_after";
    private static final String LATER_INDEXES = "later_indexes";
    private static final String LATER_AFTER = "later_delivered_after";
    private static final String LATER_UNTIL = "later_delivered_until";

    private final OutboxTable table;

    PostgresAlterStore(OutboxTable table) {
        this.table = table;
    }

    @Override
    public void open(Connection connection) throws SQLException {
        execute(connection, PostgresAlterSql.PREPARE_SESSION);
        try (PreparedStatement lock = connection.prepareStatement(PostgresAlterSql.LOCK)) {
            lock.setString(1, PostgresAdminSql.operatorsOf(table));
            lock.execute();
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw new PostriderException("Somebody else is changing outbox " + table + "; nothing was done.", e);
            }
            throw e;
        }
    }

    @Override
    public void close(Connection connection) throws SQLException {
        try (PreparedStatement unlock = connection.prepareStatement(PostgresAlterSql.UNLOCK)) {
            unlock.setString(1, PostgresAdminSql.operatorsOf(table));
            unlock.execute();
        }
        execute(connection, PostgresAlterSql.RESTORE_SESSION);
    }

    // ---- what is under way

    @Override
    public @Nullable Change underWay(Connection connection) throws SQLException {
        Map<String, String> settings = settings(connection);
        if (!StoredLayout.CHANGING.equals(settings.get("mode"))) {
            return null;
        }
        String command = settings.get(COMMAND);
        String from = settings.get(FROM);
        String to = settings.get(TO);
        if (command == null || from == null || to == null) {
            throw new PostriderException("Outbox " + table + " is being changed, but its settings do not say into what:"
                    + " rows of " + table + "_settings were deleted.");
        }
        return new Change(command, read(from), read(to), settings.getOrDefault(STEP, ""), settings.get(SNAPSHOT));
    }

    private OutboxLayout read(String text) {
        String[] parts = text.split(" ");
        return StoredLayout.parse(table, parts[0], parts[1], parts[2]);
    }

    private static String write(OutboxLayout layout) {
        return layout.mode().label() + " " + layout.shards() + " "
                + layout.delivery().label();
    }

    private Map<String, String> settings(Connection connection) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        try (PreparedStatement select = prepare(connection, PostgresAlterSql.SETTINGS);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                settings.put(row.getString("name"), row.getString("value"));
            }
        }
        return settings;
    }

    @Override
    public void begin(Connection connection, Change change) throws SQLException {
        together(connection, () -> {
            put(connection, COMMAND, change.command());
            put(connection, FROM, write(change.from()));
            put(connection, TO, write(change.to()));
            put(connection, "mode", StoredLayout.CHANGING);
            return true;
        });
    }

    @Override
    public void cancel(Connection connection, OutboxLayout from) throws SQLException {
        together(connection, () -> {
            put(connection, "mode", from.mode().label());
            forgetChange(connection);
            return true;
        });
    }

    @Override
    public void stepDone(Connection connection, String step) throws SQLException {
        put(connection, STEP, step);
    }

    @Override
    public void finish(Connection connection, OutboxLayout layout, boolean newId) throws SQLException {
        put(connection, "mode", layout.mode().label());
        put(connection, "shards", Integer.toString(layout.shards()));
        put(connection, "delivery", layout.delivery().label());
        if (newId) {
            update(connection, PostgresAlterSql.NEW_ID);
        }
        forgetChange(connection);
    }

    private void forgetChange(Connection connection) throws SQLException {
        forget(connection, COMMAND, FROM, TO, STEP, SNAPSHOT, AFTER);
    }

    @Override
    public List<Alive> alive(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(connection, PostgresAlterSql.ALIVE);
                ResultSet row = select.executeQuery()) {
            List<Alive> alive = new ArrayList<>();
            while (row.next()) {
                alive.add(
                        new Alive(row.getString("name"), row.getString("owner"), EventRows.seconds(row, "remaining")));
            }
            return alive;
        }
    }

    // ---- indexes and the default

    @Override
    public void createIndexes(Connection connection, OutboxLayout layout) throws SQLException {
        for (Map.Entry<String, String> index : indexesOf(layout).entrySet()) {
            Boolean valid = isValid(connection, index.getKey());
            if (valid != null && !valid) {
                // Left behind by a build that was interrupted.
                dropIndex(connection, index.getKey());
            }
            if (valid == null || !valid) {
                execute(connection, "set lock_timeout = 0");
                execute(connection, index.getValue());
                execute(connection, "set lock_timeout = '30s'");
            }
        }
    }

    /** Their statements by their names; the log's index under a name of its own, as long as the old one is in use. */
    private Map<String, String> indexesOf(OutboxLayout layout) {
        boolean log = layout.mode() == OutboxMode.LOG;
        String text = PostgresLayoutSql.forLayout(
                table, layout, log ? PostgresLayoutSql.LOG_INDEX : PostgresLayoutSql.CLAIM_INDEXES);
        if (log) {
            text = text.replace("create index " + logIndex() + " ", "create index " + newLogIndex(layout) + " ");
        }
        Map<String, String> statements = new HashMap<>();
        Matcher each = INDEX.matcher(text);
        while (each.find()) {
            statements.put(each.group(1), each.group().replace("create index ", "create index concurrently "));
        }
        return statements;
    }

    private String logIndex() {
        return table.name() + "_shard";
    }

    private String newLogIndex(OutboxLayout layout) {
        return logIndex() + "_" + layout.shards();
    }

    /** Null if there is no such index. */
    private @Nullable Boolean isValid(Connection connection, String index) throws SQLException {
        try (PreparedStatement select = prepare(connection, PostgresAlterSql.INDEX)) {
            select.setString(1, index);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getBoolean("valid") : null;
            }
        }
    }

    @Override
    public void swapLogIndex(Connection connection, OutboxLayout layout) throws SQLException {
        String fresh = newLogIndex(layout);
        String old = logIndex() + "_old";
        together(connection, () -> {
            if (isValid(connection, fresh) == null) {
                return false;
            }
            if (isValid(connection, logIndex()) != null) {
                rename(connection, logIndex(), old);
                put(connection, LATER_INDEXES, old);
            }
            rename(connection, fresh, logIndex());
            return true;
        });
    }

    private void rename(Connection connection, String from, String to) throws SQLException {
        execute(connection, "alter index " + qualified(from) + " rename to \"" + to + "\"");
    }

    private String qualified(String index) {
        return table.schema() == null ? '"' + index + '"' : '"' + table.schema() + "\".\"" + index + '"';
    }

    @Override
    public void dropLater(Connection connection, OutboxMode mode) throws SQLException {
        String indexes = mode == OutboxMode.LOG
                ? logIndex() + "," + table.name() + "_not_log"
                : table.name() + "_due," + table.name() + "_key," + table.name() + "_not_claimed";
        put(connection, LATER_INDEXES, indexes);
    }

    @Override
    public void dropIndex(Connection connection, String name) throws SQLException {
        execute(connection, "set lock_timeout = 0");
        execute(connection, "drop index concurrently if exists " + qualified(name));
        execute(connection, "set lock_timeout = '30s'");
    }

    @Override
    public boolean setDefault(Connection connection, OutboxMode mode, String step) throws SQLException {
        try {
            together(connection, () -> {
                execute(connection, PostgresAlterSql.BRIEFLY);
                execute(
                        connection,
                        PostgresAlterSql.forTable(
                                table,
                                mode == OutboxMode.LOG
                                        ? PostgresAlterSql.DEFAULT_LOG
                                        : PostgresAlterSql.DEFAULT_PENDING));
                noteSnapshot(connection);
                put(connection, STEP, step);
                return true;
            });
            return true;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private void noteSnapshot(Connection connection) throws SQLException {
        String snapshot;
        try (PreparedStatement select = connection.prepareStatement(PostgresAlterSql.SNAPSHOT);
                ResultSet row = select.executeQuery()) {
            row.next();
            snapshot = row.getString(1);
        }
        update(connection, PostgresAlterSql.PUT_IF_ABSENT, SNAPSHOT, snapshot);
    }

    @Override
    public List<String> users(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(connection, PostgresAlterSql.USERS);
                ResultSet row = select.executeQuery()) {
            List<String> users = new ArrayList<>();
            while (row.next()) {
                users.add(row.getString(1));
            }
            return users;
        }
    }

    // ---- moving events

    @Override
    public String takeSnapshot(Connection connection) throws SQLException {
        noteSnapshot(connection);
        String snapshot = settings(connection).get(SNAPSHOT);
        if (snapshot == null) {
            throw new IllegalStateException("no snapshot was noted");
        }
        return snapshot;
    }

    @Override
    public long lastId(Connection connection) throws SQLException {
        return number(connection, PostgresAlterSql.LAST_ID);
    }

    @Override
    public long firstAhead(Connection connection, int shard) throws SQLException {
        return number(connection, PostgresAlterSql.FIRST_AHEAD, shard);
    }

    @Override
    public Part moveBehind(Connection connection, OutboxLayout layout, int shard, String snapshot, Range range)
            throws SQLException {
        String statement = PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.MOVE_BEHIND);
        return part(connection, statement, shard, snapshot, (long) shard, range.after(), range.until(), range.limit());
    }

    @Override
    public Part toPending(Connection connection, OutboxLayout layout, int shard, Range range) throws SQLException {
        String statement = PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.TO_PENDING);
        return part(connection, statement, (long) shard, range.after(), range.until(), range.limit(), shard);
    }

    @Override
    public Part parkedToClaim(Connection connection, Range range) throws SQLException {
        return part(connection, PostgresAlterSql.PARKED_TO_CLAIM, range.after(), range.until(), range.limit());
    }

    @Override
    public Part deadToClaim(Connection connection, Range range) throws SQLException {
        return part(connection, PostgresAlterSql.DEAD_TO_CLAIM, range.after(), range.until(), range.limit());
    }

    @Override
    public ClaimPart toLog(Connection connection, OutboxLayout layout, @Nullable Place after, int limit)
            throws SQLException {
        String statement = PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.TO_LOG);
        try (PreparedStatement move = connection.prepareStatement(statement)) {
            bind(move, after == null ? Long.MIN_VALUE : after.keyHash(), after == null ? 0L : after.id(), limit);
            try (ResultSet row = move.executeQuery()) {
                row.next();
                long id = row.getLong("id");
                boolean none = row.wasNull();
                return new ClaimPart(
                        row.getLong("looked"),
                        none ? null : new Place(row.getLong("key_hash"), id),
                        row.getLong("moved"));
            }
        }
    }

    @Override
    public void beginCursors(Connection connection, OutboxLayout layout, String snapshot, String step)
            throws SQLException {
        boolean log = layout.mode() == OutboxMode.LOG;
        together(connection, () -> {
            update(connection, PostgresAlterSql.BEGIN_CURSORS, snapshot, log ? layout.shards() : 0);
            if (log) {
                update(connection, PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.SHARDS_OF_PARKED));
                update(connection, PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.SHARDS_OF_LETTERS));
                update(connection, PostgresAlterSql.NEWEST_IS_FROM_HERE);
            }
            put(connection, STEP, step);
            return true;
        });
    }

    // ---- another cluster

    @Override
    public Evidence evidence(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(connection, PostgresAlterSql.EVIDENCE);
                ResultSet row = select.executeQuery()) {
            row.next();
            return new Evidence(row.getBoolean("same_cluster"), row.getBoolean("foreign_tx"), row.getBoolean("copied"));
        }
    }

    @Override
    public void continueCursors(Connection connection, int shards) throws SQLException {
        update(connection, PostgresAlterSql.CONTINUE_CURSORS, shards);
    }

    @Override
    public Part adopt(Connection connection, OutboxLayout layout, Range range) throws SQLException {
        String statement = PostgresAlterSql.forLayout(table, layout, PostgresAlterSql.ADOPT);
        return part(connection, statement, range.after(), range.until(), range.limit());
    }

    @Override
    public long adopted(Connection connection) throws SQLException {
        return Long.parseLong(settings(connection).getOrDefault(AFTER, "0"));
    }

    // ---- later

    @Override
    public @Nullable Leftover leftover(Connection connection) throws SQLException {
        Map<String, String> settings = settings(connection);
        String indexes = settings.get(LATER_INDEXES);
        String until = settings.get(LATER_UNTIL);
        if (indexes == null && until == null) {
            return null;
        }
        return new Leftover(
                indexes == null ? List.of() : Arrays.asList(indexes.split(",")),
                until == null
                        ? null
                        : new Range(Long.parseLong(settings.getOrDefault(LATER_AFTER, "0")), Long.parseLong(until), 0));
    }

    @Override
    public void publishLater(Connection connection) throws SQLException {
        long until = lastId(connection);
        together(connection, () -> {
            put(connection, LATER_AFTER, "0");
            put(connection, LATER_UNTIL, Long.toString(until));
            return true;
        });
    }

    @Override
    public Part publishDelivered(Connection connection, Range range) throws SQLException {
        return part(connection, PostgresAlterSql.PUBLISH_DELIVERED, range.after(), range.until(), range.limit());
    }

    @Override
    public void forgetLeftover(Connection connection) throws SQLException {
        forget(connection, LATER_INDEXES, LATER_AFTER, LATER_UNTIL);
    }

    // ---- statements

    /** Several statements that happen together or not at all. */
    @FunctionalInterface
    private interface Work {
        boolean run() throws SQLException;
    }

    private static void together(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private Part part(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement move = prepare(connection, statement)) {
            bind(move, parameters);
            try (ResultSet row = move.executeQuery()) {
                row.next();
                return new Part(row.getLong("looked"), row.getLong("last_id"), row.getLong("moved"));
            }
        }
    }

    private long number(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement select = prepare(connection, statement)) {
            bind(select, parameters);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private void put(Connection connection, String name, String value) throws SQLException {
        update(connection, PostgresAlterSql.PUT, name, value);
    }

    private void forget(Connection connection, String... names) throws SQLException {
        update(connection, PostgresAlterSql.FORGET, new Columns.Column("text", names));
    }

    private void update(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement update = prepare(connection, statement)) {
            bind(update, parameters);
            update.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String statement) throws SQLException {
        return connection.prepareStatement(PostgresAlterSql.forTable(table, statement));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
