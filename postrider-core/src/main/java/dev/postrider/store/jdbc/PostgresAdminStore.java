package dev.postrider.store.jdbc;

import dev.postrider.EventStatus;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.store.AdminStore;
import dev.postrider.store.DeadLetter;
import dev.postrider.store.DeadLetterContent;
import dev.postrider.store.DeadLetterSelection;
import dev.postrider.store.ReplayScope;
import dev.postrider.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The operators' side of an outbox on PostgreSQL: what is the same in every mode. What differs are the statements and
 * the way back from the dead letter file. Stateless; any thread with its own connection.
 */
final class PostgresAdminStore implements AdminStore {
    /** Rows are fetched by so many, so that a large result is never in memory as a whole. */
    private static final int FETCH_SIZE = 50;

    private static final String KEYED_HASH = "hmac:";

    private final AdminSql sql;
    private final PostgresAdminSql common;
    private final WayBack wayBack;
    private final SavedEvents saved;
    private final OutboxTable table;
    private final ContentHash hash;

    private PostgresAdminStore(OutboxTable table, ContentHash hash, AdminSql sql, WayBack wayBack) {
        this.table = table;
        this.hash = hash;
        this.sql = sql;
        this.wayBack = wayBack;
        this.common = new PostgresAdminSql(table);
        this.saved = new SavedEvents(table);
    }

    static PostgresAdminStore ofClaims(OutboxTable table, ContentHash hash) {
        PostgresClaimAdminSql sql = new PostgresClaimAdminSql(table);
        return new PostgresAdminStore(table, hash, sql, new ClaimWayBack(sql, new SavedEvents(table)));
    }

    static PostgresAdminStore ofLog(OutboxTable table, ContentHash hash, int shards) {
        PostgresLogAdminSql sql = new PostgresLogAdminSql(table, shards);
        return new PostgresAdminStore(table, hash, sql, new LogWayBack(sql, new SavedEvents(table)));
    }

    @Override
    public Page find(Connection connection, DeadLetterSelection selection, int limit) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(sql.find())) {
            int next = bind(find, selection);
            find.setInt(next, limit);
            try (ResultSet rows = find.executeQuery()) {
                long total = 0;
                List<DeadLetter> letters = new ArrayList<>();
                while (rows.next()) {
                    total = rows.getLong("total");
                    letters.add(readLetter(rows));
                }
                return new Page(total, letters);
            }
        }
    }

    private static int bind(PreparedStatement statement, DeadLetterSelection selection) throws SQLException {
        Connection connection = statement.getConnection();
        int next = 1;
        bindArray(connection, statement, next++, "bigint", selection.ids());
        bindArray(connection, statement, next++, "uuid", selection.eventIds());
        statement.setString(next++, selection.key());
        statement.setString(next++, selection.aggregateType());
        statement.setString(next++, selection.aggregateId());
        statement.setString(next++, selection.type());
        statement.setString(next++, selection.errorClass());
        setTime(statement, next++, selection.diedSince());
        setTime(statement, next++, selection.diedUntil());
        return next;
    }

    /** An empty list means that the condition was not given. */
    private static void bindArray(
            Connection connection, PreparedStatement statement, int index, String type, List<?> values)
            throws SQLException {
        if (values.isEmpty()) {
            statement.setNull(index, Types.ARRAY);
        } else {
            statement.setArray(index, connection.createArrayOf(type, values.toArray()));
        }
    }

    private static void setTime(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
        statement.setObject(index, time == null ? null : time.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
    }

    private static DeadLetter readLetter(ResultSet row) throws SQLException {
        String status = row.getString("status");
        return new DeadLetter(
                row.getLong("outbox_id"),
                (UUID) row.getObject("event_id"),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("event_key"),
                row.getInt("attempts"),
                row.getString("error_class"),
                row.getString("reason"),
                time(row, "first_failed_at"),
                time(row, "died_at"),
                status == null ? null : EventStatus.valueOf(status));
    }

    private static Instant time(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    @Override
    public Optional<DeadLetterContent> read(Connection connection, long id) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement(sql.read())) {
            read.setLong(1, id);
            read.setLong(2, id);
            try (ResultSet row = read.executeQuery()) {
                return row.next() ? Optional.of(readContent(row)) : Optional.empty();
            }
        }
    }

    private static DeadLetterContent readContent(ResultSet row) throws SQLException {
        byte[] json = row.getBytes("payload");
        return new DeadLetterContent(
                readLetter(row),
                row.getString("source"),
                new Payload(json != null ? json : row.getBytes("payload_binary"), row.getString("content_type")),
                row.getString("headers"),
                row.getString("request_id"),
                row.getString("content_hash"),
                time(row, "occurred_at"),
                time(row, "created_at"),
                (Integer) row.getObject("max_retries"));
    }

    @Override
    public void beginChange(Connection connection) throws SQLException {
        execute(connection, PostgresAdminSql.BEGIN_CHANGE);
        try (PreparedStatement lock = connection.prepareStatement(PostgresAdminSql.WAIT_FOR_OPERATORS)) {
            lock.setString(1, "postrider operators of " + table);
            lock.execute();
        }
    }

    private static void execute(Connection connection, String statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }

    @Override
    public Retried retry(Connection connection, DeadLetterSelection selection, boolean acceptChanges, String actor)
            throws SQLException {
        List<Long> chosen = choose(connection, selection);
        Map<Long, String> hashes = acceptChanges ? hashAnew(connection, chosen) : Map.of();
        try (PreparedStatement retry = connection.prepareStatement(sql.retry())) {
            retry.setArray(1, connection.createArrayOf("bigint", chosen.toArray()));
            retry.setArray(2, connection.createArrayOf("bigint", hashes.keySet().toArray()));
            retry.setArray(3, connection.createArrayOf("text", hashes.values().toArray()));
            retry.setString(4, actor);
            try (ResultSet row = retry.executeQuery()) {
                row.next();
                return new Retried(
                        row.getLong("back"), row.getLong("inserted"), row.getLong("handled"), row.getLong("kept"));
            }
        }
    }

    private List<Long> choose(Connection connection, DeadLetterSelection selection) throws SQLException {
        try (PreparedStatement choose = connection.prepareStatement(sql.choose())) {
            bind(choose, selection);
            try (ResultSet rows = choose.executeQuery()) {
                List<Long> ids = new ArrayList<>();
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
                return ids;
            }
        }
    }

    /** By row id: the hashes that the chosen events must have to be sent as they are now. */
    private Map<Long, String> hashAnew(Connection connection, List<Long> chosen) throws SQLException {
        Map<Long, String> hashes = new LinkedHashMap<>();
        try (PreparedStatement read = connection.prepareStatement(common.readChanged)) {
            read.setFetchSize(FETCH_SIZE);
            read.setArray(1, connection.createArrayOf("bigint", chosen.toArray()));
            try (ResultSet row = read.executeQuery()) {
                while (row.next()) {
                    long id = row.getLong("outbox_id");
                    String stored = row.getString("content_hash");
                    String fresh = hashAnew(row, id);
                    if (stored != null && stored.startsWith(KEYED_HASH) && !fresh.startsWith(KEYED_HASH)) {
                        throw new PostriderException("Dead letter " + id + " was hashed with a key: its changes can be"
                                + " accepted only with the same integrity key. Nothing was changed.");
                    }
                    hashes.put(id, fresh);
                }
            }
        }
        return hashes;
    }

    private String hashAnew(ResultSet row, long id) throws SQLException {
        try {
            return hash.of(EventRows.readEvent(row));
        } catch (RuntimeException e) {
            throw new PostriderException(
                    "Dead letter " + id + " cannot be read: " + e.getMessage() + " Nothing was changed.", e);
        }
    }

    @Override
    public Discarded discard(Connection connection, DeadLetterSelection selection, String actor) throws SQLException {
        List<Long> chosen = choose(connection, selection);
        try (PreparedStatement discard = connection.prepareStatement(sql.discard())) {
            discard.setArray(1, connection.createArrayOf("bigint", chosen.toArray()));
            discard.setString(2, actor);
            try (ResultSet row = discard.executeQuery()) {
                row.next();
                return new Discarded(row.getLong("discarded"), row.getLong("handled"));
            }
        }
    }

    @Override
    public Restored restore(Connection connection, SavedEvent event, String actor) throws SQLException {
        Restored restored = wayBack.bringBack(connection, event);
        if (restored == Restored.BACK || restored == Restored.INSERTED) {
            saved.forgetLetter(connection, event);
        }
        if (restored != Restored.REPLACED) {
            saved.noteHandled(connection, event, actor);
        }
        return restored;
    }

    @Override
    public Extent extent(Connection connection, ReplayScope scope, long afterId) throws SQLException {
        boolean ofAggregate = scope instanceof ReplayScope.OfAggregate;
        try (PreparedStatement measure =
                connection.prepareStatement(ofAggregate ? sql.extentOfAggregate() : sql.extentByTime())) {
            int next = bind(measure, scope);
            measure.setLong(next, afterId);
            try (ResultSet row = measure.executeQuery()) {
                row.next();
                return new Extent(
                        row.getLong("events"), row.getLong("first_id"), row.getLong("last_id"), time(row, "at"));
            }
        }
    }

    private static int bind(PreparedStatement statement, ReplayScope scope) throws SQLException {
        if (scope instanceof ReplayScope.OfAggregate aggregate) {
            statement.setString(1, aggregate.type());
            statement.setString(2, aggregate.id());
        } else if (scope instanceof ReplayScope.WrittenBetween times) {
            setTime(statement, 1, times.from());
            setTime(statement, 2, times.to());
        }
        return 3;
    }

    @Override
    public List<PublishedEvent> published(
            Connection connection, ReplayScope scope, long afterId, long lastId, Limits limits) throws SQLException {
        execute(connection, PostgresAdminSql.WALK_ALONG_INDEXES);
        boolean ofAggregate = scope instanceof ReplayScope.OfAggregate;
        try (PreparedStatement select =
                connection.prepareStatement(ofAggregate ? sql.publishedOfAggregate() : sql.publishedByTime())) {
            int next = bind(select, scope);
            select.setLong(next++, afterId);
            select.setLong(next++, lastId);
            select.setInt(next, limits.events());
            select.setFetchSize(FETCH_SIZE);
            try (ResultSet rows = select.executeQuery()) {
                List<PublishedEvent> events = new ArrayList<>();
                long bytes = 0;
                while (bytes < limits.bytes() && rows.next()) {
                    Optional<PublishedEvent> event = readPublished(rows, events.isEmpty());
                    if (event.isEmpty()) {
                        return events;
                    }
                    events.add(event.get());
                    bytes += event.get().event().payload().bytes().length;
                }
                return events;
            }
        }
    }

    /**
     * @param first whether a row that cannot be sent is an error, or the end
     */
    private Optional<PublishedEvent> readPublished(ResultSet row, boolean first) throws SQLException {
        long id = row.getLong("id");
        String problem;
        try {
            OutboxEvent event = EventRows.readEvent(row);
            if (hash.matches(event, row.getString("content_hash"))) {
                return Optional.of(new PublishedEvent(id, row.getLong("key_hash"), event));
            }
            problem = "was changed after it was written: its content does not match its hash";
        } catch (RuntimeException e) {
            problem = "cannot be read: " + e.getMessage();
        }
        if (first) {
            throw new PostriderException("Row " + id + " " + problem);
        }
        return Optional.empty();
    }

    @Override
    public long record(Connection connection, String actor, String action, String selector, long affected)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(common.record)) {
            insert.setString(1, actor);
            insert.setString(2, action);
            insert.setString(3, selector);
            insert.setLong(4, affected);
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Override
    public void recordProgress(Connection connection, long entry, long affected) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(common.recordProgress)) {
            update.setLong(1, affected);
            update.setLong(2, entry);
            update.executeUpdate();
        }
    }

    @Override
    public List<AuditEntry> audit(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(common.audit)) {
            select.setInt(1, limit);
            try (ResultSet row = select.executeQuery()) {
                List<AuditEntry> entries = new ArrayList<>();
                while (row.next()) {
                    entries.add(new AuditEntry(
                            time(row, "at"),
                            row.getString("actor"),
                            row.getString("action"),
                            row.getString("selector"),
                            row.getLong("affected")));
                }
                return entries;
            }
        }
    }
}
