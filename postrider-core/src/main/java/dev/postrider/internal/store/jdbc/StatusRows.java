package dev.postrider.internal.store.jdbc;

import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is asked about an outbox in the same way in either mode. */
public final class StatusRows {
    /** On MariaDB and MySQL, who sees what others do is a privilege of its own. */
    private static final String MAY_NOT_LOOK = "42000";

    private final String relays;
    private final String openTransactions;
    private final String blocked;
    private final String setting;

    /** The statements of the family of databases. */
    public StatusRows(String relays, String openTransactions, String blocked, String setting) {
        this.relays = relays;
        this.openTransactions = openTransactions;
        this.blocked = blocked;
        this.setting = setting;
    }

    @Nullable
    public OutboxPause pause(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(setting)) {
            select.setString(1, OutboxPause.SETTING);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? OutboxPause.parse(row.getString(1)) : null;
            }
        }
    }

    public List<OutboxStatus.BlockedDestination> blocked(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(blocked)) {
            select.setInt(1, OutboxStatus.COUNT_CAP);
            try (ResultSet row = select.executeQuery()) {
                List<OutboxStatus.BlockedDestination> destinations = new ArrayList<>();
                while (row.next()) {
                    String reason = row.getString("reason");
                    destinations.add(new OutboxStatus.BlockedDestination(
                            row.getString("destination"),
                            row.getLong("events"),
                            EventRows.seconds(row, "since"),
                            reason == null ? "" : reason));
                }
                return destinations;
            }
        }
    }

    public List<OutboxStatus.RelayLease> relays(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(relays);
                ResultSet row = select.executeQuery()) {
            List<OutboxStatus.RelayLease> leases = new ArrayList<>();
            while (row.next()) {
                leases.add(new OutboxStatus.RelayLease(
                        row.getString("owner"),
                        row.getBoolean("alive"),
                        row.getLong("sending"),
                        EventRows.seconds(row, "age"),
                        row.getString("circuit")));
            }
            return leases;
        }
    }

    public List<OutboxStatus.OpenTransaction> openTransactions(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(openTransactions);
                ResultSet row = select.executeQuery()) {
            List<OutboxStatus.OpenTransaction> open = new ArrayList<>();
            while (row.next()) {
                open.add(new OutboxStatus.OpenTransaction(
                        row.getObject("pid", Integer.class),
                        row.getString("gid"),
                        EventRows.seconds(row, "age"),
                        row.getString("state")));
            }
            return open;
        } catch (SQLException e) {
            if (MAY_NOT_LOOK.equals(e.getSQLState())) {
                return List.of();
            }
            throw e;
        }
    }

    /** For statements whose every parameter is a cap. */
    public static long count(Connection connection, String statement, int... caps) throws SQLException {
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
