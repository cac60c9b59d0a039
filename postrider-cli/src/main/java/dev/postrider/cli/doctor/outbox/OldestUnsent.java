package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.internal.store.OutboxStore;
import java.sql.SQLException;
import java.util.List;

/** Whether events are sent in time. */
final class OldestUnsent implements Check {
    private final DatabaseSession session;
    private final OutboxTable table;
    private final Limits limits;

    OldestUnsent(DatabaseSession session, OutboxTable table, Limits limits) {
        this.session = session;
        this.table = table;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        OutboxStore.Backlog backlog = session.inTransaction(connection ->
                session.database().outboxStore(table).statusStore(connection).backlog(connection, 1));
        if (backlog.count() == 0) {
            return List.of(Finding.ok("Every event has been sent."));
        }
        String text = "The oldest unsent event has waited for " + Amounts.age(backlog.oldest()) + ".";
        return List.of(
                backlog.oldest().compareTo(limits.oldestUnsent()) <= 0
                        ? Finding.ok(text)
                        : Finding.warning(
                                text,
                                "postrider status shows what holds it up: no relay, an outage of the broker, or an"
                                        + " event of its key that failed"));
    }
}
