package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether dead rows are cleared away: every event leaves some behind. */
final class Vacuum implements Check {
    private static final String SELECT = """
            select coalesce(s.n_dead_tup, 0) as dead,
                   coalesce(s.n_live_tup, 0) as live,
                   current_setting('autovacuum')::boolean as on_server,
                   current_setting('track_counts')::boolean as counting,
                   coalesce((select option_value::boolean from pg_options_to_table(c.reloptions)
                             where option_name = 'autovacuum_enabled'), true) as on_table
            from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
            where c.oid = to_regclass(?)
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final Limits limits;

    Vacuum(DatabaseSession session, OutboxTable table, Limits limits) {
        this.session = session;
        this.table = table;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, this::judge, table.sql());
    }

    private List<Finding> judge(ResultSet row) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (!row.getBoolean("on_server") || !row.getBoolean("counting")) {
            findings.add(Finding.warning(
                    "Autovacuum is off on this server: the outbox grows and gets slower with every event.",
                    "alter system set autovacuum = on; alter system set track_counts = on; select pg_reload_conf();"));
        }
        if (!row.getBoolean("on_table")) {
            findings.add(Finding.warning(
                    "Autovacuum is off for " + table.sql() + ": it grows and gets slower with every event.",
                    "alter table " + table.sql() + " reset (autovacuum_enabled);"));
        }
        long dead = row.getLong("dead");
        long live = row.getLong("live");
        String rows = "%s and %s".formatted(Amounts.count(dead, "dead row"), Amounts.count(live, "live row"));
        if (dead > limits.deadRows() && dead > live) {
            findings.add(Finding.warning(
                    table.sql() + " has " + rows + ": they are not cleared away as fast as they come, or something"
                            + " still needs them.",
                    "vacuum (verbose) " + table.sql() + ";  -- if it says that rows cannot be removed yet, the cause is"
                            + " in database.transactions, database.prepared-transactions or"
                            + " database.replication-slots"));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("Autovacuum is on; there are " + rows + "."));
        }
        return findings;
    }
}
