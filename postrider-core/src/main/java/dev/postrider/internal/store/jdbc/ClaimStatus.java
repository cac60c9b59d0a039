package dev.postrider.internal.store.jdbc;

import dev.postrider.EventStatus;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxStatus;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.StatusStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How a claim-mode outbox stands: its rows say it themselves. */
public final class ClaimStatus implements StatusStore {
    private final Words sql;
    private final StatusRows rows;

    public ClaimStatus(Words sql) {
        this.sql = sql;
        this.rows = new StatusRows(sql.relays(), sql.openTransactions(), sql.blocked(), sql.setting());
    }

    /** The statements of a family of databases. Their parameters are caps: one, four, one for each state, and one. */
    public record Words(
            String countFailed,
            String backlog,
            String countByStatus,
            String relays,
            String openTransactions,
            String blocked,
            String strange,
            String setting) {}

    @Override
    public OutboxStatus status(Connection connection) throws SQLException {
        Backlog backlog = backlog(connection, 1);
        return new OutboxStatus(
                OutboxLayout.claim(),
                counts(connection),
                0,
                backlog.count() == 0 ? null : backlog.oldest(),
                List.of(),
                rows.relays(connection),
                rows.openTransactions(connection),
                rows.blocked(connection),
                new OutboxStatus.Unread(
                        StatusRows.count(connection, sql.strange(), OutboxStatus.Unread.CAP), List.of()),
                List.of(),
                rows.pause(connection));
    }

    private Map<EventStatus, Long> counts(Connection connection) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(sql.countByStatus())) {
            for (int i = 1; i <= EventStatus.values().length; i++) {
                count.setInt(i, OutboxStatus.COUNT_CAP);
            }
            try (ResultSet row = count.executeQuery()) {
                row.next();
                Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
                for (EventStatus status : EventStatus.values()) {
                    counts.put(status, row.getLong(status.name().toLowerCase(Locale.ROOT)));
                }
                return counts;
            }
        }
    }

    @Override
    public Backlog backlog(Connection connection, int cap) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.backlog())) {
            for (int part = 1; part <= 4; part++) {
                select.setInt(part, cap);
            }
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return new Backlog(Math.min(cap, row.getLong("unsent")), EventRows.seconds(row, "oldest"));
            }
        }
    }

    @Override
    public long countFailed(Connection connection, int cap) throws SQLException {
        return StatusRows.count(connection, sql.countFailed(), cap);
    }
}
