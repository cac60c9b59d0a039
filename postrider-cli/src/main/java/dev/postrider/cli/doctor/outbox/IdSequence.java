package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether ids grow in the order in which they are drawn: the order of a key is the order of its ids. */
final class IdSequence implements Check {
    private static final String SELECT = """
            select seqrelid::regclass::text as sql, seqcache as cache, seqincrement as increment, seqcycle as cycle
            from pg_sequence
            where seqrelid = to_regclass(pg_get_serial_sequence(?, 'id'))
            """;

    private final DatabaseSession session;
    private final OutboxTable table;

    IdSequence(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.table = table;
    }

    private record Sequence(String sql, long cache, long increment, boolean cycle) {}

    @Override
    public List<Finding> examine() throws SQLException {
        List<Sequence> sequences = session.list(
                SELECT,
                row -> new Sequence(
                        row.getString("sql"), row.getLong("cache"), row.getLong("increment"), row.getBoolean("cycle")),
                table.sql());
        if (sequences.isEmpty()) {
            return List.of(Finding.error(
                    "The ids of " + table.sql() + " come from no sequence of the table: nothing says that they grow.",
                    "alter table " + table.sql()
                            + " alter column id add generated always as identity (cache 1);  -- after dropping its"
                            + " default, and restarting it above the largest id"));
        }
        return judge(sequences.get(0));
    }

    private static List<Finding> judge(Sequence sequence) {
        List<Finding> findings = new ArrayList<>();
        if (sequence.cache() != 1) {
            findings.add(Finding.error(
                    "The sequence " + sequence.sql() + " has CACHE " + sequence.cache() + ": every connection of a"
                            + " writer draws ids in advance, so a later event can have a smaller id, and events of a"
                            + " key are sent out of order.",
                    "alter sequence " + sequence.sql() + " cache 1;  -- then restart the writers' connections"));
        }
        if (sequence.increment() <= 0) {
            findings.add(Finding.error(
                    "The sequence " + sequence.sql() + " counts down: later events are sent first.",
                    "alter sequence " + sequence.sql() + " increment by 1 no minvalue no maxvalue;"));
        }
        if (sequence.cycle()) {
            findings.add(Finding.error(
                    "The sequence " + sequence.sql() + " starts over after its last number: later events would be sent"
                            + " first.",
                    "alter sequence " + sequence.sql() + " no cycle;"));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok("Ids grow in the order in which they are drawn: CACHE 1, no cycle."))
                : findings;
    }
}
