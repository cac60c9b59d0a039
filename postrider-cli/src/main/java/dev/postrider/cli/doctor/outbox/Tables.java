package dev.postrider.cli.doctor.outbox;

import dev.postrider.cli.doctor.Amounts;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether the tables are there, with all their columns; by whatever means they were made. */
final class Tables implements Check {
    private final Catalogue catalogue;
    private final ExpectedSchema expected;

    Tables(Catalogue catalogue, ExpectedSchema expected) {
        this.catalogue = catalogue;
        this.expected = expected;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        List<String> missing = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (ExpectedSchema.Table table : expected.tables()) {
            if (!catalogue.exists(table.sql())) {
                missing.add(table.sql());
                continue;
            }
            List<String> columns = new ArrayList<>(table.columns());
            columns.removeAll(catalogue.columns(table.sql()));
            if (!columns.isEmpty()) {
                findings.add(Finding.error(
                        "The table " + table.sql() + " was made by another version: it lacks "
                                + String.join(", ", columns) + ".",
                        "postrider migrate; if the table was made by script: postrider migrate --print shows what it"
                                + " should be"));
            }
        }
        if (!missing.isEmpty()) {
            findings.add(Finding.error(
                    "There is no table " + String.join(", ", missing) + " in this database.",
                    "postrider migrate, or as a script: postrider migrate --print; if they are elsewhere: --table"
                            + " schema.table"));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("The "
                    + Amounts.count(expected.tables().size(), "table") + " of "
                    + expected.tables().get(0).sql()
                    + " are there with all their columns."));
        }
        return findings;
    }
}
