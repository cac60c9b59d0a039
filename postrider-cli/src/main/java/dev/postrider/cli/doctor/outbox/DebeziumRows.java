package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether an outbox that Debezium can read has rows that need what Debezium does not do. It can if the table is in a
 * publication and its database has a lasting slot for publications; a relay's own slot is temporary.
 */
final class DebeziumRows implements Check {
    private static final String READERS = """
            select s.slot_name, s.active
            from pg_replication_slots s
            where s.plugin = 'pgoutput' and s.database = current_database() and not s.temporary
              and exists (
                  select 1
                  from pg_publication_tables t
                  join pg_class c on c.relname = t.tablename
                  join pg_namespace n on n.oid = c.relnamespace and n.nspname = t.schemaname
                  where c.oid = '{outbox}'::regclass)
            order by s.active desc, s.slot_name
            limit 10
            """;

    private static final String ROWS = """
            select count(*) filter (where o.next_attempt_at > clock_timestamp()) as scheduled,
                   count(*) filter (where o.event_key <> o.aggregate_id) as keyed,
                   count(*) filter (where o.payload_binary is not null) as binary,
                   (select count(*) from {lease} l where l.name like 'relay/%' and l.expires_at > clock_timestamp())
                       as relays
            from (select * from {outbox} order by id desc limit 10000) o
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final OutboxMode mode;

    DebeziumRows(DatabaseSession session, OutboxTable table, OutboxMode mode) {
        this.session = session;
        this.table = table;
        this.mode = mode;
    }

    private record Reader(String slot, boolean active) {
        static Reader of(ResultSet row) throws SQLException {
            return new Reader(row.getString("slot_name"), row.getBoolean("active"));
        }
    }

    private record Rows(long scheduled, long keyed, long binary, long relays) {
        static Rows of(ResultSet row) throws SQLException {
            return new Rows(
                    row.getLong("scheduled"), row.getLong("keyed"), row.getLong("binary"), row.getLong("relays"));
        }
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<Reader> readers = session.list(sql(READERS), Reader::of);
        if (readers.isEmpty()) {
            return List.of(Finding.ok("No connector such as Debezium's reads the outbox."));
        }
        Reader reader = readers.get(0);
        Rows rows = session.one(sql(ROWS), Rows::of);
        List<Finding> findings = new ArrayList<>();
        if (mode == OutboxMode.CLAIM) {
            findings.add(Finding.warning(
                    "The replication slot " + reader.slot()
                            + " can read the outbox, which is in claim mode: what Debezium"
                            + " delivers stays PENDING, and relays deliver it as well.",
                    "postrider alter --mode log, or drop the slot"));
        }
        if (rows.relays() > 0 && reader.active()) {
            findings.add(Finding.warning(
                    "Relays deliver the outbox while the replication slot " + reader.slot()
                            + " is being read: if that is Debezium, every event arrives twice.",
                    "stop the relays, or the connector: see docs/debezium.md"));
        }
        if (rows.scheduled() > 0) {
            findings.add(Finding.warning(
                    "Of the newest 10,000 events " + rows.scheduled()
                            + " are to be delivered later, and the replication slot " + reader.slot()
                            + " can read them: Debezium sends them at once.",
                    "let relays deliver this outbox, or write the events when they are due"));
        }
        if (rows.keyed() > 0 || rows.binary() > 0) {
            findings.add(Finding.info(
                    "Of the newest 10,000 events " + rows.keyed() + " have a key of their own and " + rows.binary()
                            + " a binary payload, for which Debezium's own outbox router is not enough.",
                    "use the transform of postrider-connect: postrider debezium config"));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok("The replication slot " + reader.slot()
                        + " can read the outbox, and its newest events need nothing that Debezium does not do."))
                : findings;
    }

    private String sql(String statement) {
        return statement.replace("{outbox}", table.sql()).replace("{lease}", table.leaseSql());
    }
}
