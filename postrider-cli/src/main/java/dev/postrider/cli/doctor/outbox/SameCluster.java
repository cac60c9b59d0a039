package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether the cursors of a log belong to this server: they are made of transaction numbers, which mean nothing in
 * another cluster.
 */
final class SameCluster implements Check {
    private static final String FIX = "postrider adopt --after restore|upgrade  -- with all relays stopped";

    private static final String SELECT = """
            select s.shard, c.system_id = h.system_id as same_system, c.timeline = h.timeline as same_timeline,
                   c.timeline as timeline, h.timeline as here
            from generate_series(0, ?::integer - 1) as s(shard)
            cross join lateral (
                select n.system_id, n.timeline from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
            ) c
            cross join (
                select (select system_identifier from pg_control_system()) as system_id,
                       ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer as timeline
            ) h
            where c.system_id <> h.system_id or c.timeline <> h.timeline
            order by s.shard
            """;

    /** A row that can be seen has a number below the end of the snapshot, unless it comes from elsewhere. */
    private static final String NEWEST = """
            select tx_id::text as tx_id, tx_id >= pg_snapshot_xmax(pg_current_snapshot()) as strange
            from {outbox}
            order by id desc
            limit 1
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final int shards;

    SameCluster(DatabaseSession session, OutboxTable table, int shards) {
        this.session = session;
        this.table = table;
        this.shards = shards;
    }

    private record Stranger(int shard, boolean sameSystem, int timeline, int here) {}

    private record Newest(String txId, boolean strange) {}

    @Override
    public List<Finding> examine() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        List<Stranger> strangers = session.list(
                SELECT.replace("{cursor}", table.cursorSql()),
                row -> new Stranger(
                        row.getInt("shard"), row.getBoolean("same_system"), row.getInt("timeline"), row.getInt("here")),
                String.valueOf(shards));
        List<Stranger> promoted =
                strangers.stream().filter(Stranger::sameSystem).toList();
        if (!promoted.isEmpty()) {
            Stranger first = promoted.get(0);
            findings.add(Finding.warning(
                    "The cursors of shards " + numbers(promoted) + " are of timeline " + first.timeline()
                            + ", and the server is on timeline " + first.here()
                            + ": it was promoted or recovered since. Relays go on from the cursor that is there; what was"
                            + " sent and then lost with the old server's last commits may come twice.",
                    "let the relays run: what they record next is of the new timeline"));
        }
        List<Stranger> foreign =
                strangers.stream().filter(stranger -> !stranger.sameSystem()).toList();
        if (!foreign.isEmpty()) {
            findings.add(Finding.error(
                    "The cursors of shards " + numbers(foreign)
                            + " were recorded by another database cluster, as before"
                            + " a restore or an upgrade: its transaction numbers mean nothing here, and no relay reads"
                            + " these shards.",
                    FIX));
        }
        session
                .list(
                        NEWEST.replace("{outbox}", table.sql()),
                        row -> new Newest(row.getString("tx_id"), row.getBoolean("strange")))
                .stream()
                .filter(Newest::strange)
                .map(newest -> Finding.error(
                        "The newest event is of transaction " + newest.txId()
                                + ", which this database cluster has not reached: its rows come from another one, and no"
                                + " relay starts.",
                        FIX))
                .forEach(findings::add);
        return findings.isEmpty() ? List.of(Finding.ok("The cursors belong to this database cluster.")) : findings;
    }

    private static String numbers(List<Stranger> strangers) {
        return String.join(
                ", ",
                strangers.stream()
                        .map(stranger -> String.valueOf(stranger.shard()))
                        .toList());
    }
}
