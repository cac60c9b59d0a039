package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Limits;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is looked at in the outbox, by name. */
public final class OutboxChecks {
    private final DatabaseSession session;
    private final OutboxTable table;
    private final Limits limits;

    /** Tables are the same in every layout. */
    private final ExpectedSchema expected;

    public OutboxChecks(DatabaseSession session, OutboxTable table, Limits limits) {
        this.session = session;
        this.table = table;
        this.limits = limits;
        this.expected = ExpectedSchema.of(table, OutboxLayout.DEFAULT);
    }

    /** Before all others: they mean nothing if tables are missing. */
    public Check tables() {
        return new Tables(session, expected);
    }

    public Map<String, Check> others() {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("migrations", new MigrationHistory(session, table));
        checks.put("indexes", new Indexes(session, table));
        checks.put("sequence", new IdSequence(session, table));
        checks.put("columns", new ColumnOrder(session, table));
        checks.put("privileges", new Privileges(session, table));
        checks.put("vacuum", new Vacuum(session, table, limits));
        checks.put("relays", new Relays(session, table));
        checks.put("unsent", new OldestUnsent(session, table, limits));
        checks.put("dead-letters", new DeadLetters(session, table));
        return checks;
    }
}
