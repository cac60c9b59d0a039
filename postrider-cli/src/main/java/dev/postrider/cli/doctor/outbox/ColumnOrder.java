package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Finding;
import java.sql.SQLException;
import java.util.List;

/** Whether {@code tx_id} stands before {@code id}. Claims do not need it; readers by transaction number would. */
final class ColumnOrder implements Check {
    private static final String SELECT = """
            select (select attnum from pg_attribute where attrelid = to_regclass(?) and attname = 'tx_id')
                 < (select attnum from pg_attribute where attrelid = to_regclass(?) and attname = 'id') as in_order
            """;

    private final DatabaseSession session;
    private final OutboxTable table;

    ColumnOrder(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.table = table;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        boolean inOrder = session.one(SELECT, row -> row.getBoolean("in_order"), table.sql(), table.sql());
        return List.of(
                inOrder
                        ? Finding.ok("The column tx_id stands before id.")
                        : Finding.warning(
                                "The column id stands before tx_id: a row can have its id before its transaction has a"
                                        + " number, so who reads by transaction number can miss events. Claims are not"
                                        + " affected.",
                                "let the outbox run empty, drop its tables, and create them with postrider migrate"));
    }
}
