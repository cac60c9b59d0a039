package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Limits;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is looked at in an outbox on PostgreSQL only, by name. */
public final class PostgresOutboxChecks {
    private PostgresOutboxChecks() {}

    /**
     * @param layout null if it could not be read; then what depends on it is left out
     */
    public static Map<String, Check> of(
            DatabaseSession session, OutboxTable table, @Nullable OutboxLayout layout, Limits limits) {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("sequence", new IdSequence(session, table));
        if (layout != null) {
            checks.put("columns", new ColumnOrder(session, table, layout.mode()));
        }
        if (layout != null) {
            checks.put("debezium", new DebeziumRows(session, table, layout.mode()));
        }
        checks.put("privileges", new Privileges(session, table, layout == null ? null : layout.mode()));
        checks.put("vacuum", new Vacuum(session, table, limits));
        if (layout != null && layout.mode() == OutboxMode.LOG) {
            checks.put("cluster", new SameCluster(session, table, layout.shards()));
            checks.put("cursors", new Cursors(session, table, layout.shards()));
        }
        return checks;
    }
}
