package dev.postrider.internal.store.jdbc;

import dev.postrider.EventStatus;
import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ClosedKey;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterContent;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.Discarded;
import dev.postrider.admin.ReplayExtent;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.Retried;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The operators' side of an outbox: what is the same in every mode and on every database. What differs are the
 * statements, some of what they need, and the way back from the dead letter file. Stateless; any thread with its own
 * connection.
 */
public final class JdbcAdminStore implements AdminStore {
    /** Of so many rows the size is asked for at a time, which the database may have to read them for. */
    private static final int SIZES_AT_A_TIME = 50;

    private static final String KEYED_HASH = "hmac:";
    private static final UUID NO_ID = new UUID(0, 0);

    private final AdminSql sql;
    private final CommonAdminSql common;
    private final AdminDialect dialect;
    private final EventRestore wayBack;
    private final SavedEvents saved;
    private final ContentHash hash;
    private final EventRows eventRows;
    private final Times times;

    public JdbcAdminStore(Parts parts, EventRestore wayBack, ContentHash hash) {
        this.sql = parts.sql();
        this.common = parts.common();
        this.dialect = parts.dialect();
        this.saved = parts.saved();
        this.wayBack = wayBack;
        this.hash = hash;
        this.times = dialect.times();
        this.eventRows = new EventRows(hash, times);
    }

    /** What belongs together, by family and mode. */
    public record Parts(AdminSql sql, CommonAdminSql common, AdminDialect dialect, SavedEvents saved) {}

    @Override
    public List<DeadLetter> find(Connection connection, DeadLetterSelection selection, int limit) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(sql.find())) {
            int next = bind(find, selection);
            find.setInt(next, limit);
            try (ResultSet rows = find.executeQuery()) {
                List<DeadLetter> letters = new ArrayList<>();
                while (rows.next()) {
                    letters.add(readLetter(rows));
                }
                return letters;
            }
        }
    }

    @Override
    public long count(Connection connection, DeadLetterSelection selection, int cap) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(sql.count())) {
            int next = bind(count, selection);
            count.setInt(next, cap);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Override
    public List<ClosedKey> closedKeys(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.closedKeys())) {
            for (int parameter = 1; parameter <= 3; parameter++) {
                select.setInt(parameter, limit);
            }
            try (ResultSet row = select.executeQuery()) {
                List<ClosedKey> keys = new ArrayList<>();
                while (row.next()) {
                    keys.add(readClosedKey(row));
                }
                return keys;
            }
        }
    }

    private static ClosedKey readClosedKey(ResultSet row) throws SQLException {
        String key = row.getString("event_key");
        String error = row.getString("last_error");
        return new ClosedKey(
                key == null ? row.getString("aggregate_type") + "/" + row.getString("aggregate_id") : key,
                row.getLong("id"),
                row.getString("event_type"),
                row.getBoolean("dead") ? ClosedKey.State.DEAD_LETTER : ClosedKey.State.WAITS_FOR_RETRY,
                row.getInt("attempts"),
                error == null ? "unknown" : error);
    }

    private int bind(PreparedStatement statement, DeadLetterSelection selection) throws SQLException {
        int next = 1;
        dialect.bindIds(statement, next++, selection.ids());
        dialect.bindEventIds(statement, next++, selection.eventIds());
        statement.setString(next++, selection.key());
        statement.setString(next++, selection.aggregateType());
        statement.setString(next++, selection.aggregateId());
        statement.setString(next++, selection.type());
        statement.setString(next++, selection.errorClass());
        times.bind(statement, next++, selection.diedSince());
        times.bind(statement, next++, selection.diedUntil());
        return next;
    }

    private DeadLetter readLetter(ResultSet row) throws SQLException {
        String status = row.getString("status");
        return new DeadLetter(
                row.getLong("outbox_id"),
                eventId(row),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("event_key"),
                row.getInt("attempts"),
                row.getString("error_class"),
                row.getString("reason"),
                times.findOrFirst(row, "first_failed_at"),
                times.findOrFirst(row, "died_at"),
                status == null ? null : EventStatus.valueOf(status));
    }

    /** Some died because their id is no UUID, where the column takes any text. */
    private static UUID eventId(ResultSet row) throws SQLException {
        try {
            return UUID.fromString(row.getString("event_id"));
        } catch (IllegalArgumentException e) {
            return NO_ID;
        }
    }

    @Override
    public Optional<DeadLetterContent> read(Connection connection, long id, long maxBytes) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement(sql.read())) {
            read.setLong(1, maxBytes);
            read.setLong(2, id);
            read.setLong(3, id);
            try (ResultSet row = read.executeQuery()) {
                return row.next() ? Optional.of(readContent(row)) : Optional.empty();
            }
        }
    }

    private DeadLetterContent readContent(ResultSet row) throws SQLException {
        byte[] json = row.getBytes("payload");
        byte[] body = json != null ? json : row.getBytes("payload_binary");
        String contentType = row.getString("content_type");
        return new DeadLetterContent(
                readLetter(row),
                row.getString("source"),
                body == null ? null : new Payload(body, contentType),
                contentType,
                row.getLong("size"),
                row.getString("headers"),
                row.getString("request_id"),
                row.getString("content_hash"),
                times.findOrFirst(row, "occurred_at"),
                times.findOrFirst(row, "created_at"),
                row.getObject("max_retries", Integer.class));
    }

    @Override
    public void beginChange(Connection connection) throws SQLException {
        dialect.beginChange(connection);
    }

    @Override
    public Retried retry(Connection connection, DeadLetterSelection selection, boolean acceptChanges, String actor)
            throws SQLException {
        List<Long> chosen = choose(connection, selection);
        Map<Long, String> hashes = acceptChanges ? hashAnew(connection, chosen) : Map.of();
        return dialect.retry(connection, chosen, hashes, actor);
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
        try (PreparedStatement read = connection.prepareStatement(common.readChanged())) {
            // One at a time, so that no more than that is in memory.
            read.setFetchSize(1);
            dialect.bindIds(read, 1, chosen);
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
            return hash.of(eventRows.readEvent(row));
        } catch (RuntimeException e) {
            throw new PostriderException(
                    "Dead letter " + id + " cannot be read: " + e.getMessage() + " Nothing was changed.", e);
        }
    }

    @Override
    public Discarded discard(Connection connection, DeadLetterSelection selection, String actor) throws SQLException {
        return dialect.discard(connection, choose(connection, selection), actor);
    }

    @Override
    public Restored restore(Connection connection, SavedEvent event, String actor) throws SQLException {
        Restored restored = wayBack.bringBack(connection, event);
        if (restored == Restored.BACK || restored == Restored.INSERTED) {
            saved.forgetLetter(connection, event);
        }
        if (restored != Restored.REPLACED && restored != Restored.GONE) {
            saved.noteHandled(connection, event, actor);
        }
        return restored;
    }

    @Override
    public ReplayExtent extent(Connection connection, ReplayScope scope, long afterId) throws SQLException {
        boolean ofAggregate = scope instanceof ReplayScope.OfAggregate;
        try (PreparedStatement measure =
                connection.prepareStatement(ofAggregate ? sql.extentOfAggregate() : sql.extentByTime())) {
            int next = bind(measure, scope);
            measure.setLong(next, afterId);
            try (ResultSet row = measure.executeQuery()) {
                row.next();
                return new ReplayExtent(
                        row.getLong("events"), row.getLong("first_id"), row.getLong("last_id"), times.read(row, "at"));
            }
        }
    }

    private int bind(PreparedStatement statement, ReplayScope scope) throws SQLException {
        if (scope instanceof ReplayScope.OfAggregate aggregate) {
            statement.setString(1, aggregate.type());
            statement.setString(2, aggregate.id());
        } else if (scope instanceof ReplayScope.WrittenBetween between) {
            times.bind(statement, 1, between.from());
            times.bind(statement, 2, between.to());
        }
        return 3;
    }

    @Override
    public List<PublishedEvent> published(
            Connection connection, ReplayScope scope, long afterId, long lastId, Limits limits) throws SQLException {
        List<Long> ids = thatFit(connection, publishedIds(connection, scope, afterId, lastId, limits.events()), limits);
        List<PublishedEvent> events = new ArrayList<>();
        if (ids.isEmpty()) {
            return events;
        }
        try (PreparedStatement select = connection.prepareStatement(common.readEvents())) {
            dialect.bindIds(select, 1, ids);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    Optional<PublishedEvent> event = readPublished(rows, events.isEmpty());
                    if (event.isEmpty()) {
                        return events;
                    }
                    events.add(event.get());
                }
                return events;
            }
        }
    }

    private List<Long> publishedIds(Connection connection, ReplayScope scope, long afterId, long lastId, int limit)
            throws SQLException {
        dialect.walkAlongIndexes(connection);
        boolean ofAggregate = scope instanceof ReplayScope.OfAggregate;
        try (PreparedStatement select =
                connection.prepareStatement(ofAggregate ? sql.publishedOfAggregate() : sql.publishedByTime())) {
            int next = bind(select, scope);
            select.setLong(next++, afterId);
            select.setLong(next++, lastId);
            select.setInt(next, limit);
            try (ResultSet rows = select.executeQuery()) {
                List<Long> ids = new ArrayList<>();
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
                return ids;
            }
        }
    }

    /** The first of them, as many as may be in memory together. */
    private List<Long> thatFit(Connection connection, List<Long> ids, Limits limits) throws SQLException {
        List<Long> fitting = new ArrayList<>();
        long bytes = 0;
        for (int from = 0; from < ids.size(); from += SIZES_AT_A_TIME) {
            List<Long> some = ids.subList(from, Math.min(ids.size(), from + SIZES_AT_A_TIME));
            Map<Long, Long> sizes = sizes(connection, some, limits.eventBytes());
            for (Long id : some) {
                long size = sizes.getOrDefault(id, 0L);
                if (size > limits.eventBytes() && fitting.isEmpty()) {
                    throw new PostriderException("Row " + id + " has at least " + size
                            + " bytes with its headers, and max-event-bytes is " + limits.eventBytes());
                }
                if (size > limits.eventBytes() || !fitting.isEmpty() && bytes + size > limits.bytes()) {
                    return fitting;
                }
                fitting.add(id);
                bytes += size;
            }
        }
        return fitting;
    }

    private Map<Long, Long> sizes(Connection connection, List<Long> ids, long maxBytes) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(common.sizes())) {
            look.setLong(1, maxBytes);
            dialect.bindIds(look, 2, ids);
            try (ResultSet row = look.executeQuery()) {
                Map<Long, Long> sizes = new HashMap<>();
                while (row.next()) {
                    sizes.put(row.getLong("id"), row.getLong("size"));
                }
                return sizes;
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
            OutboxEvent event = eventRows.readEvent(row);
            if (hash.matches(event, row.getString("content_hash"))) {
                return Optional.of(new PublishedEvent(id, row.getLong("key_hash"), event));
            }
            problem = "was changed after it was written: its content does not match its hash";
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            problem = "cannot be read: " + e.getMessage();
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
        try (PreparedStatement insert = connection.prepareStatement(common.record(), new String[] {"id"})) {
            insert.setString(1, actor);
            insert.setString(2, action);
            insert.setString(3, selector);
            insert.setLong(4, affected);
            insert.executeUpdate();
            try (ResultSet row = insert.getGeneratedKeys()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Override
    public void recordProgress(Connection connection, long entry, long affected) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(common.recordProgress())) {
            update.setLong(1, affected);
            update.setLong(2, entry);
            update.executeUpdate();
        }
    }

    @Override
    public List<AuditEntry> audit(Connection connection, int limit) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(common.audit())) {
            select.setInt(1, limit);
            try (ResultSet row = select.executeQuery()) {
                List<AuditEntry> entries = new ArrayList<>();
                while (row.next()) {
                    entries.add(new AuditEntry(
                            times.read(row, "at"),
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
