package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        this.expected = expected(session.database().standardLayout());
    }

    private ExpectedSchema expected(OutboxLayout layout) {
        return session.database().outboxSchema(table, layout).expected();
    }

    /** Before all others, with {@link #version()}: they mean nothing if tables are missing. */
    public Check tables() {
        return new Tables(session, table, expected);
    }

    /** Whether the tables are complete, and can be used by this version. */
    public Check version() {
        return new MigratedVersion(session, table);
    }

    /** What was decided for the outbox: other checks depend on it. */
    public OutboxLayout layout() throws SQLException {
        return session.inTransaction(connection -> session.database().layout(connection, table));
    }

    /** Under which name its topic of positions and its transactions are known to Kafka. */
    public String outboxId() throws SQLException {
        return session.inTransaction(
                connection -> session.database().outboxStore(table).setting(connection, "outbox_id"));
    }

    /**
     * @param layout null if it could not be read; then what depends on it is left out
     */
    public Map<String, Check> others(@Nullable OutboxLayout layout) {
        OutboxMode mode = layout == null ? null : layout.mode();
        Map<String, Check> checks = new LinkedHashMap<>();
        if (layout != null) {
            checks.put("indexes", new Indexes(session, expected(layout)));
        }
        checks.putAll(session.doctor().outbox(session, table, layout, limits));
        if (layout != null) {
            checks.put("relays", new Relays(session, table));
            checks.put("destinations", new BlockedDestinations(session, table));
            checks.put("unsent", new OldestUnsent(session, table, limits));
            checks.put("unread", new UnreadRows(session, table, layout));
        }
        checks.put("dead-letters", new DeadLetters(session, table, mode));
        return checks;
    }
}
