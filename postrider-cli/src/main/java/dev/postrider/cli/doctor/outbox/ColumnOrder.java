package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** Whether {@code tx_id} stands before {@code id}. Claims do not need it; a log, read by transactions, does. */
final class ColumnOrder implements Check {
    private static final String SELECT = """
            select (select attnum from pg_attribute where attrelid = to_regclass(?) and attname = 'tx_id')
                 < (select attnum from pg_attribute where attrelid = to_regclass(?) and attname = 'id') as in_order
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final OutboxMode mode;

    ColumnOrder(DatabaseSession session, OutboxTable table, OutboxMode mode) {
        this.session = session;
        this.table = table;
        this.mode = mode;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        boolean inOrder = session.one(SELECT, row -> row.getBoolean("in_order"), table.sql(), table.sql());
        if (inOrder) {
            return List.of(Finding.ok("The column tx_id stands before id."));
        }
        String fix = "let the outbox run empty, drop its tables, and create them with postrider migrate";
        return List.of(
                mode == OutboxMode.LOG
                        ? Finding.error(
                                "The column id stands before tx_id: a row can have its id before its transaction has a"
                                        + " number, so relays can pass events by that have not been sent.",
                                fix)
                        : Finding.warning(
                                "The column id stands before tx_id: a row can have its id before its transaction has a"
                                        + " number, so who reads by transaction number can miss events. Claims are not"
                                        + " affected.",
                                fix));
    }
}
