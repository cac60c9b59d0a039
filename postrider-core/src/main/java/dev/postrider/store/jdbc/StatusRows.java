package dev.postrider.store.jdbc;

import dev.postrider.OutboxStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What is asked about an outbox in the same way in either mode. */
final class StatusRows {
    private final PostgresStatusSql sql;

    StatusRows(PostgresStatusSql sql) {
        this.sql = sql;
    }

    List<OutboxStatus.RelayLease> relays(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.relays);
                ResultSet row = select.executeQuery()) {
            List<OutboxStatus.RelayLease> relays = new ArrayList<>();
            while (row.next()) {
                relays.add(new OutboxStatus.RelayLease(
                        row.getString("owner"),
                        row.getBoolean("alive"),
                        row.getLong("sending"),
                        EventRows.seconds(row, "age"),
                        row.getString("circuit")));
            }
            return relays;
        }
    }

    List<OutboxStatus.OpenTransaction> openTransactions(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(PostgresStatusSql.OPEN_TRANSACTIONS);
                ResultSet row = select.executeQuery()) {
            List<OutboxStatus.OpenTransaction> open = new ArrayList<>();
            while (row.next()) {
                open.add(new OutboxStatus.OpenTransaction(
                        (Integer) row.getObject("pid"),
                        row.getString("gid"),
                        EventRows.seconds(row, "age"),
                        row.getString("state")));
            }
            return open;
        }
    }

    /** For statements whose every parameter is a cap. */
    static long count(Connection connection, String statement, int... caps) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(statement)) {
            for (int i = 0; i < caps.length; i++) {
                count.setInt(i + 1, caps[i]);
            }
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
