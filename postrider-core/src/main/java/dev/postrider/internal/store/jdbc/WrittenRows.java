package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Events as they were written, whatever has become of them since, and whoever wrote them: for tests of applications. Sees what
 * the connection's transaction sees. Stateless; any thread with its own connection.
 */
public final class WrittenRows {
    private static final String LAST = """
            select coalesce(max(id), 0) from %s
            """;

    /** A time to be sent at is the writer's, until a relay has tried. */
    private static final String AFTER = """
            select event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload, payload_binary,
                content_type, headers, occurred_at, request_id, max_retries,
                case when attempts = 0 then next_attempt_at end as deliver_after
            from %s
            where id > ?
            order by id
            """;

    private final String table;
    private final Times times;
    private final EventRows eventRows;

    public WrittenRows(Database database, OutboxTable table) {
        this.table = database.quoted(table.sql());
        this.times = database.times();
        this.eventRows = new EventRows(ContentHash.sha256(), times);
    }

    /** The id of the last row; 0 if there is none. */
    public long last(Connection connection) throws SQLException {
        try (PreparedStatement last = connection.prepareStatement(LAST.formatted(table));
                ResultSet row = last.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** By id. */
    public List<OutboxEvent> after(Connection connection, long id) throws SQLException {
        try (PreparedStatement after = connection.prepareStatement(AFTER.formatted(table))) {
            after.setLong(1, id);
            try (ResultSet rows = after.executeQuery()) {
                List<OutboxEvent> events = new ArrayList<>();
                while (rows.next()) {
                    events.add(read(rows));
                }
                return events;
            }
        }
    }

    private OutboxEvent read(ResultSet row) throws SQLException {
        OutboxEvent event = eventRows.readEvent(row);
        return new OutboxEvent(
                event.id(),
                event.type(),
                event.aggregateType(),
                event.aggregateId(),
                event.payload(),
                event.key(),
                event.source(),
                event.headers(),
                event.occurredAt(),
                event.requestId(),
                times.findIfATime(row, "deliver_after"),
                event.maxRetries());
    }
}
