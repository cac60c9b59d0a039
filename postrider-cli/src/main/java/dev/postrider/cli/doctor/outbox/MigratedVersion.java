package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.internal.store.jdbc.SchemaVersion;
import java.sql.SQLException;
import java.util.List;

/** Whether the outbox is complete, and of a version that can be used here. */
final class MigratedVersion implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;

    MigratedVersion(DatabaseSession session, OutboxTable table) {
        this.session = session;
        this.table = table;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        SchemaVersion version =
                session.inTransaction(connection -> session.database().version(connection, table));
        try {
            version.requireUsable();
        } catch (PostriderException e) {
            return List.of(Finding.error(
                    e.getMessage() + " No relay works until then.",
                    version.isNewer() ? "use the same version of Postrider everywhere" : "postrider migrate"));
        }
        if (version.isNewer()) {
            return List.of(Finding.warning(
                    "The tables have version " + version.stored()
                            + ", made by a newer Postrider; this one makes version " + version.known()
                            + ". Relays of both work, until the next version.",
                    "use the same version of Postrider everywhere"));
        }
        return List.of(Finding.ok("The tables have version " + version.stored() + ", as they should."));
    }
}
