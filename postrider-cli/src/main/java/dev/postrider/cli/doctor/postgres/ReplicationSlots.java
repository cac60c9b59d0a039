package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.check.Severity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Replication slots that nobody reads: the server keeps WAL for them until its disk is full. */
final class ReplicationSlots implements Check {
    private static final String SELECT = """
            select slot_name, quote_literal(slot_name) as literal, slot_type,
                   greatest(0, pg_wal_lsn_diff(
                       case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
                       restart_lsn))::bigint as held,
                   xmin is not null or catalog_xmin is not null as keeps_rows
            from pg_replication_slots
            where not active and restart_lsn is not null
            order by restart_lsn
            limit 10
            """;

    private final DatabaseSession session;
    private final Limits limits;

    ReplicationSlots(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<Finding> findings = session.list(SELECT, this::describe);
        return findings.isEmpty() ? List.of(Finding.ok("No replication slot is without a reader.")) : findings;
    }

    private Finding describe(ResultSet row) throws SQLException {
        long held = row.getLong("held");
        return new Finding(
                held > limits.slotWal() ? Severity.WARNING : Severity.INFO,
                "The %s replication slot %s has no reader, and the server keeps %s of WAL for it%s."
                        .formatted(
                                row.getString("slot_type"),
                                row.getString("slot_name"),
                                Amounts.bytes(held),
                                row.getBoolean("keeps_rows") ? ", and dead rows" : ""),
                "start its reader, or: select pg_drop_replication_slot(" + row.getString("literal") + ");");
    }
}
