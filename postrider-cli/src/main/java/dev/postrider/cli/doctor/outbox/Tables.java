package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import dev.postrider.internal.store.jdbc.TableShape;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether the tables are there, with all their columns; by whatever means they were made. */
final class Tables implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;
    private final ExpectedSchema expected;

    Tables(DatabaseSession session, OutboxTable table, ExpectedSchema expected) {
        this.session = session;
        this.table = table;
        this.expected = expected;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<String> missing = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (ExpectedSchema.Table one : expected.tables()) {
            boolean there =
                    session.inTransaction(connection -> shape(connection).exists(one.sql()));
            List<String> changes =
                    session.inTransaction(connection -> shape(connection).changes(one));
            if (!there) {
                missing.add(one.sql());
            } else if (!changes.isEmpty()) {
                findings.add(Finding.error(
                        "The table " + one.sql() + " is not as Postrider made it: " + String.join(", ", changes) + ".",
                        "make it what postrider migrate --print shows"));
            }
        }
        if (!missing.isEmpty()) {
            findings.add(Finding.error(
                    "There is no table " + String.join(", ", missing) + " in this database.",
                    "postrider migrate, or as a script: postrider migrate --print; if they are elsewhere: --table"
                            + " schema.table"));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("The " + Amounts.count(expected.tables().size(), "table") + " of outbox " + table
                    + " are there with all their columns."));
        }
        return findings;
    }

    private TableShape shape(Connection connection) {
        return new TableShape(connection, session.database().catalogue());
    }
}
