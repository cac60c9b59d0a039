package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** Whether every shard of a log has a cursor: without one no relay knows where to begin. */
final class Cursors implements Check {
    private static final String MISSING = """
            select s.shard
            from generate_series(0, ?::integer - 1) as s(shard)
            where not exists (select 1 from {cursor} c where c.shard = s.shard)
            order by s.shard
            """;

    /** A snapshot that sees nothing, as of a new outbox. */
    private static final String REPAIR =
            "insert into {cursor} (shard, seq, lo, owner, system_id, timeline) select {shard}, 0, '3:3:', 'created',"
                    + " (select system_identifier from pg_control_system()),"
                    + " ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer;"
                    + "  -- sends again what the shard has in the table";

    private final DatabaseSession session;
    private final OutboxTable table;
    private final int shards;

    Cursors(DatabaseSession session, OutboxTable table, int shards) {
        this.session = session;
        this.table = table;
        this.shards = shards;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<Finding> missing = session.list(
                MISSING.replace("{cursor}", table.cursorSql()),
                row -> withoutCursor(row.getInt("shard")),
                String.valueOf(shards));
        return missing.isEmpty() ? List.of(Finding.ok("Every shard has its cursor.")) : missing;
    }

    private Finding withoutCursor(int shard) {
        return Finding.error(
                "Shard " + shard + " has no row in " + table.cursorSql() + ": none of its events is sent.",
                REPAIR.replace("{cursor}", table.cursorSql()).replace("{shard}", String.valueOf(shard)));
    }
}
