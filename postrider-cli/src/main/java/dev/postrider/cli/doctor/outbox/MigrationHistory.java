package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Finding;
import dev.postrider.store.jdbc.Migrations;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether Flyway's history of the outbox is that of this version. */
final class MigrationHistory implements Check {
    private static final String HISTORY = """
            select version, success from {history} where version is not null and type <> 'BASELINE'
            order by installed_rank
            """;

    private final DatabaseSession session;
    private final String history;

    MigrationHistory(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.history = Catalogue.history(session.family(), table);
    }

    private record Applied(String version, boolean success) {}

    @Override
    public List<Finding> examine() throws SQLException {
        if (!Catalogue.of(session).exists(history)) {
            return List.of(Finding.ok("The tables were made by script: there is no " + history + "."));
        }
        List<Applied> applied = session.list(
                HISTORY.replace("{history}", history),
                row -> new Applied(row.getString("version"), row.getBoolean("success")));
        List<String> versions = applied.stream().map(Applied::version).toList();
        List<String> pending = new ArrayList<>(Migrations.versions());
        pending.removeAll(versions);
        List<String> unknown = new ArrayList<>(versions);
        unknown.removeAll(Migrations.versions());
        if (applied.stream().anyMatch(one -> !one.success())) {
            return List.of(Finding.error(
                    "A migration has failed half-way: " + history + " says so.",
                    "delete from " + history + " where not success;  -- then: postrider migrate"));
        }
        if (!pending.isEmpty()) {
            return List.of(Finding.error(
                    "Migration " + String.join(", ", pending) + " has not been applied.", "postrider migrate"));
        }
        if (!unknown.isEmpty()) {
            return List.of(Finding.warning(
                    "Migration " + String.join(", ", unknown) + " is unknown here: it was applied by a newer version.",
                    "use the same version of Postrider everywhere"));
        }
        return List.of(Finding.ok("All migrations have been applied."));
    }
}
