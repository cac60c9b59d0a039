package dev.postrider.internal.store.jdbc;

import dev.postrider.internal.store.SqlErrors;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** How points in time are stored. Never by way of this machine's time zone. */
public enum Times {
    /** As points in time: PostgreSQL's {@code timestamptz}. */
    ABSOLUTE {
        @Override
        @Nullable
        public Instant find(ResultSet row, String column) throws SQLException {
            OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
            return time == null ? null : time.toInstant();
        }

        @Override
        public void bind(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
            statement.setObject(
                    index, time == null ? null : time.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
        }
    },
    /** As what clocks show in UTC, to the microsecond: MySQL's {@code datetime(6)}. */
    IN_UTC {
        @Override
        @Nullable
        public Instant find(ResultSet row, String column) throws SQLException {
            LocalDateTime time = row.getObject(column, LocalDateTime.class);
            return time == null ? null : time.toInstant(ZoneOffset.UTC);
        }

        @Override
        public void bind(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException {
            // Cut off, because some servers would round to the future.
            statement.setObject(
                    index,
                    time == null ? null : LocalDateTime.ofInstant(time.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC));
        }
    };

    /** What PostgreSQL's driver makes of its infinite times. */
    private static final Instant FOR_EVER = OffsetDateTime.MAX.toInstant();

    private static final Instant NEVER = OffsetDateTime.MIN.toInstant();

    public abstract @Nullable Instant find(ResultSet row, String column) throws SQLException;

    /** Null also for what is stored as a time and is none: infinity, the zeroth of a month, the 31st of February. */
    @Nullable
    public Instant findIfATime(ResultSet row, String column) throws SQLException {
        try {
            Instant time = find(row, column);
            return time == null || time.equals(FOR_EVER) || time.equals(NEVER) ? null : time;
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** To sort by: what is no time comes first. */
    public Instant findOrFirst(ResultSet row, String column) throws SQLException {
        Instant time = findIfATime(row, column);
        return time == null ? Instant.MIN : time;
    }

    /** Of a column that is never null. */
    Instant read(ResultSet row, String column) throws SQLException {
        Instant time = find(row, column);
        if (time == null) {
            throw new SQLException("The column " + column + " is null.");
        }
        return time;
    }

    public abstract void bind(PreparedStatement statement, int index, @Nullable Instant time) throws SQLException;
}
