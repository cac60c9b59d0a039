package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of rows. One that cannot be read must not keep the others from being sent: an error of a column is its row's
 * fault, as long as the connection stands.
 */
public final class EventRows {
    private final ContentHash hash;
    private final Times times;

    public EventRows(ContentHash hash, Times times) {
        this.hash = hash;
        this.times = times;
    }

    /**
     * @param now when the rows came, by this machine's monotonic clock
     * @param maxBytes of a row whose {@code size} is above it, what the event is made of did not come
     */
    public LogStore.Row read(ResultSet row, long now, boolean scheduled, long maxBytes) throws SQLException {
        RowClaim claim = new RowClaim(
                row.getLong("id"),
                Objects.requireNonNullElse(row.getString("event_id"), ""),
                row.getInt("version"),
                row.getLong("key_hash"),
                Math.max(0, row.getInt("attempts")),
                Math.max(0, row.getInt("abandoned")),
                age(row));
        long size = row.getLong("size");
        if (size > maxBytes) {
            return new LogStore.Row(null, Settlement.Dead.tooLarge(claim, size, maxBytes), false);
        }
        try {
            OutboxEvent event = readEvent(row);
            String stored = row.getString("content_hash");
            if (hash.matches(event, stored)) {
                return new LogStore.Row(new StoredEvent(claim, event, now), null, scheduled);
            }
            return unsendable(
                    claim,
                    Settlement.Dead.INTEGRITY,
                    stored == null
                            ? "The row has no content hash, and the relay requires one."
                            : "The row was changed after it was written: its content does not match its hash.");
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return unsendable(claim, e);
        } catch (RuntimeException e) {
            return unsendable(claim, e);
        }
    }

    /** A row of which no more could be read than its numbers, because of an error of the database. */
    public static LogStore.Row unreadable(ResultSet row, SQLException error) throws SQLException {
        RowClaim claim = new RowClaim(
                row.getLong("id"),
                "",
                0,
                row.getLong("key_hash"),
                row.getInt("attempts"),
                row.getInt("abandoned"),
                Duration.ZERO);
        return unsendable(claim, error);
    }

    private static LogStore.Row unsendable(RowClaim claim, Exception error) {
        return unsendable(claim, Settlement.Dead.UNREADABLE, "The row cannot be read: " + error.getMessage());
    }

    /** For metrics only. */
    private static Duration age(ResultSet row) throws SQLException {
        try {
            return seconds(row, "age");
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return Duration.ZERO;
        }
    }

    private static LogStore.Row unsendable(RowClaim claim, String errorClass, String error) {
        return new LogStore.Row(null, new Settlement.Dead(claim, errorClass, error), false);
    }

    OutboxEvent readEvent(ResultSet row) throws SQLException {
        byte[] json = row.getBytes("payload");
        return new OutboxEvent(
                UUID.fromString(row.getString("event_id")),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                new Payload(json != null ? json : row.getBytes("payload_binary"), row.getString("content_type")),
                row.getString("event_key"),
                row.getString("source"),
                HeaderJson.read(row.getString("headers")),
                times.findIfATime(row, "occurred_at"),
                row.getString("request_id"),
                null,
                row.getObject("max_retries", Integer.class));
    }

    /**
     * A null is no time at all. Ages are never negative, even if the database's clock was set back, and never so long that
     * nothing could be added to them.
     */
    public static Duration seconds(ResultSet row, String column) throws SQLException {
        return Duration.ofNanos(Math.max(0, Math.min((long) (row.getDouble(column) * 1e9), Long.MAX_VALUE / 2)));
    }

    /** The same, but a null is a null. */
    public static @Nullable Duration secondsOrNull(ResultSet row, String column) throws SQLException {
        Duration seconds = seconds(row, column);
        return row.wasNull() ? null : seconds;
    }
}
