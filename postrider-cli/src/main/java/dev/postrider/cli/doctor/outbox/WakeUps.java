package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.Replication;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.internal.store.jdbc.WalStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What wakes relays when other processes commit events, and what the replication stream lacks. */
public final class WakeUps implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;
    private final Optional<Replication> replication;

    /**
     * @param replication as it is set; empty if nothing is
     */
    public WakeUps(DatabaseSession session, OutboxTable table, Optional<Replication> replication) {
        this.session = session;
        this.table = table;
        this.replication = replication;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        WalStream stream = session.database().walStream(table);
        if (stream == null) {
            return List.of(Finding.info("Relays are not woken by other processes here: they poll.", null));
        }
        OutboxStatus.Stream status = session.inTransaction(stream::status);
        List<Finding> findings = new ArrayList<>();
        if (status.reader() != null) {
            findings.add(
                    Finding.ok("Relays are woken by the replication stream, which " + status.reader() + " reads."));
        } else if (replication.isEmpty()) {
            return List.of(Finding.info(
                    "Relays are woken by notifications, which writers send, and by polling; no replication role is set.",
                    status.lacking().isEmpty() ? null : "for the replication stream: " + inOne(status)));
        } else {
            findings.add(Finding.info("No relay reads the replication stream at the moment.", null));
        }
        if (!status.lacking().isEmpty()) {
            findings.add(Finding.warning("The replication stream cannot wake relays as it should.", inOne(status)));
        }
        replication.ifPresent(role -> findings.addAll(tryRole(stream, role)));
        return findings;
    }

    private static String inOne(OutboxStatus.Stream status) {
        return String.join("; ", status.lacking());
    }

    private static List<Finding> tryRole(WalStream stream, Replication role) {
        try {
            stream.tryConnection(role);
            return List.of();
        } catch (SQLException e) {
            return List.of(Finding.warning(
                    "The replication connection cannot be opened: " + Finding.sentence(e),
                    "alter role ... replication; and let pg_hba.conf and any pooler before the server admit the role of"
                            + " db.replication-user"));
        }
    }
}
