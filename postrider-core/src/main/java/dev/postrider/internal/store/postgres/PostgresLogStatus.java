package dev.postrider.internal.store.postgres;

import static dev.postrider.OutboxStatus.COUNT_CAP;

import dev.postrider.EventStatus;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.StatusStore;
import dev.postrider.internal.store.jdbc.EventRows;
import dev.postrider.internal.store.jdbc.StatusRows;
import dev.postrider.internal.store.log.LogStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How a log-mode outbox stands: what lies ahead of the cursors is pending, what stands beside the log has failed,
 * is held or has its time, all else is published. The questions are statements of their own: an event that moves
 * between two of them is counted on either side.
 */
final class PostgresLogStatus implements StatusStore {
    private final OutboxLayout layout;
    private final LogStore log;
    private final PostgresStatusSql sql;
    private final StatusRows rows;

    PostgresLogStatus(OutboxTable table, OutboxLayout layout, LogStore log) {
        this.layout = layout;
        this.log = log;
        this.sql = new PostgresStatusSql(table);
        this.rows = new StatusRows(sql.relays, PostgresStatusSql.OPEN_TRANSACTIONS, sql.blockedOfLog, sql.setting);
    }

    @Override
    public OutboxStatus status(Connection connection) throws SQLException {
        // Together not more than the cap, however many shards there are.
        int cap = Math.max(1, COUNT_CAP / layout.shards());
        List<LogStore.Lag> lags = log.lag(connection, cap);
        long ahead = events(lags);
        Beside beside = beside(connection, COUNT_CAP);
        Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
        counts.put(EventStatus.PENDING, ahead);
        counts.put(EventStatus.PUBLISHED, published(connection, ahead));
        counts.put(EventStatus.FAILED, beside.failed());
        counts.put(EventStatus.HELD, beside.held());
        counts.put(EventStatus.BLOCKED, beside.blocked());
        counts.put(EventStatus.DEAD_LETTER, beside.dead() + StatusRows.count(connection, sql.unrecordedOfLog));
        return new OutboxStatus(
                layout,
                counts,
                beside.scheduled(),
                ahead + beside.unsent() == 0 ? null : oldest(lags, beside),
                lags.stream().map(lag -> shard(lag, cap)).toList(),
                rows.relays(connection),
                rows.openTransactions(connection),
                rows.blocked(connection),
                new OutboxStatus.Unread(
                        StatusRows.count(connection, sql.strangeToLog, OutboxStatus.Unread.CAP), passed(connection)),
                failOvers(connection),
                rows.pause(connection));
    }

    private List<Long> passed(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.passed)) {
            select.setInt(1, OutboxStatus.Unread.CAP);
            try (ResultSet row = select.executeQuery()) {
                List<Long> ids = new ArrayList<>();
                while (row.next()) {
                    ids.add(row.getLong("id"));
                }
                return ids;
            }
        }
    }

    private List<OutboxStatus.FailOver> failOvers(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.failOvers);
                ResultSet row = select.executeQuery()) {
            List<OutboxStatus.FailOver> failOvers = new ArrayList<>();
            while (row.next()) {
                failOvers.add(new OutboxStatus.FailOver(
                        row.getInt("shard"), EventRows.seconds(row, "ago"), row.getInt("before"), row.getInt("after")));
            }
            return failOvers;
        }
    }

    private static long events(List<LogStore.Lag> lags) {
        return lags.stream().mapToLong(LogStore.Lag::events).sum();
    }

    private static Duration oldest(List<LogStore.Lag> lags, Beside beside) {
        return lags.stream()
                .map(LogStore.Lag::oldest)
                .filter(Objects::nonNull)
                .reduce(beside.oldest(), (one, other) -> one.compareTo(other) >= 0 ? one : other);
    }

    private static OutboxStatus.Shard shard(LogStore.Lag lag, int cap) {
        return new OutboxStatus.Shard(
                lag.shard(),
                lag.owner(),
                lag.takeovers(),
                lag.events(),
                lag.events() >= cap,
                lag.oldest(),
                lag.moved());
    }

    /** Events that stand beside the log. */
    private record Beside(long failed, long held, long blocked, long scheduled, long dead, Duration oldest) {
        long unsent() {
            return failed + held + blocked;
        }
    }

    private Beside beside(Connection connection, int cap) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(sql.countBesideLog)) {
            for (int i = 1; i <= 7; i++) {
                count.setInt(i, cap);
            }
            for (int i = 8; i <= 11; i++) {
                count.setInt(i, COUNT_CAP);
            }
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return new Beside(
                        Math.min(cap, row.getLong("failed")),
                        row.getLong("held"),
                        row.getLong("blocked"),
                        row.getLong("scheduled"),
                        Math.min(cap, row.getLong("dead_letter")),
                        EventRows.seconds(row, "oldest"));
            }
        }
    }

    private long published(Connection connection, long ahead) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(sql.countPublishedOfLog)) {
            count.setInt(1, COUNT_CAP);
            count.setInt(2, COUNT_CAP);
            count.setLong(3, ahead);
            count.setInt(4, COUNT_CAP);
            count.setInt(5, COUNT_CAP);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return Math.min(COUNT_CAP, Math.max(0, row.getLong("published")));
            }
        }
    }

    @Override
    public Backlog backlog(Connection connection, int cap) throws SQLException {
        List<LogStore.Lag> lags = log.lag(connection, cap);
        Beside beside = beside(connection, cap);
        return new Backlog(Math.min(cap, events(lags) + beside.unsent()), oldest(lags, beside));
    }

    @Override
    public long countFailed(Connection connection, int cap) throws SQLException {
        return Math.min(cap, StatusRows.count(connection, sql.countFailedOfLog, cap, cap));
    }
}
