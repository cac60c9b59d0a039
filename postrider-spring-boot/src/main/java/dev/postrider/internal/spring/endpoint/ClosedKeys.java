package dev.postrider.internal.spring.endpoint;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Keys whose events wait, each with the event that they wait behind: it failed and has its retry before it, or is a dead letter
 * that holds its key. Those that wait for a destination are not among them: there is one reason for all of them.
 */
final class ClosedKeys {
    static final int LIMIT = 100;

    private ClosedKeys() {}

    private static final String OF_LOG = """
            select p.outbox_id as id, p.state, p.attempts, p.last_error,
                   coalesce(p.event_type, o.event_type) as event_type,
                   coalesce(p.aggregate_type, o.aggregate_type) as aggregate_type,
                   coalesce(p.aggregate_id, o.aggregate_id) as aggregate_id,
                   coalesce(p.event_key, o.event_key) as event_key
            from (
                (select * from {parked} where state = 'FAILED' limit ?)
                union all (select * from {parked} where state = 'DEAD' and holds limit ?)
            ) p
            left join {outbox} o on o.id = p.outbox_id
            order by id
            limit ?
            """;

    private static final String OF_CLAIMS = """
            select id, status as state, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key
            from (
                (select * from {outbox} where status = 'FAILED' order by created_at limit ?)
                union all (select * from {outbox} where status = 'DEAD_LETTER' and holds_key order by created_at limit ?)
            ) p
            order by id
            limit ?
            """;

    static List<Map<String, Object>> list(OutboxTools tools, OutboxMode mode) {
        try (Connection connection = tools.dataSource().getConnection()) {
            Database database = Databases.of(connection);
            String sql = sql(mode == OutboxMode.LOG ? OF_LOG : OF_CLAIMS, database, tools.table());
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                for (int parameter = 1; parameter <= 3; parameter++) {
                    select.setInt(parameter, LIMIT);
                }
                try (ResultSet row = select.executeQuery()) {
                    List<Map<String, Object>> keys = new ArrayList<>();
                    while (row.next()) {
                        keys.add(key(row));
                    }
                    return keys;
                }
            }
        } catch (SQLException e) {
            throw new PostriderException("The outbox cannot be read: " + e.getMessage(), e);
        }
    }

    private static String sql(String statement, Database database, OutboxTable table) {
        return statement
                .replace("{parked}", database.quoted(table.parkedSql()))
                .replace("{outbox}", database.quoted(table.sql()));
    }

    private static Map<String, Object> key(ResultSet row) throws SQLException {
        String key = row.getString("event_key");
        String aggregate = row.getString("aggregate_type") + "/" + row.getString("aggregate_id");
        String error = row.getString("last_error");
        return Answer.object(
                "key",
                key == null ? aggregate : key,
                "behindId",
                row.getLong("id"),
                "type",
                row.getString("event_type"),
                "state",
                row.getString("state").startsWith("DEAD") ? "dead letter" : "waits for its retry",
                "attempts",
                row.getInt("attempts"),
                "reason",
                error == null ? "unknown" : error);
    }
}
