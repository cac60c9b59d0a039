package dev.postrider.cli.doctor.outbox;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.internal.store.jdbc.Catalogue;
import dev.postrider.internal.store.jdbc.ExpectedSchema;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether every index is there, by its name, and can be used. */
final class Indexes implements Check {
    private final DatabaseSession session;
    private final ExpectedSchema expected;

    Indexes(DatabaseSession session, ExpectedSchema expected) {
        this.session = session;
        this.expected = expected;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<Finding> findings = new ArrayList<>();
        for (ExpectedSchema.Table table : expected.tables()) {
            List<Catalogue.Index> found = session.inTransaction(
                    connection -> session.database().catalogue().indexes(connection, table.sql()));
            judge(table, found, findings);
        }
        if (findings.isEmpty()) {
            int count = expected.tables().size() + expected.indexes().size();
            findings.add(Finding.ok("All " + count + " indexes are there and valid."));
        }
        return findings;
    }

    private void judge(ExpectedSchema.Table table, List<Catalogue.Index> found, List<Finding> findings) {
        if (found.stream().noneMatch(Catalogue.Index::isPrimary)) {
            findings.add(Finding.error(
                    "The table " + table.sql() + " has no primary key.",
                    "alter table " + table.sql() + " add primary key (" + table.primaryKey() + ");"));
        }
        for (ExpectedSchema.Index index : expected.indexes()) {
            if (!index.table().equals(table.sql())) {
                continue;
            }
            Optional<Catalogue.Index> same = found.stream()
                    .filter(one -> one.name().equals(index.name()))
                    .findFirst();
            if (same.isEmpty()) {
                findings.add(Finding.error(
                        "The index " + index.name() + " is missing: what it was made for reads the whole table.",
                        index.statement()));
            } else if (!same.get().valid()) {
                findings.add(Finding.error(
                        "The index " + index.name() + " is not valid: building it was interrupted, and no query uses"
                                + " it.",
                        "reindex index concurrently " + same.get().sql() + ";"));
            }
        }
    }
}
