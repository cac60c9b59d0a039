package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.Amounts;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Finding;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events that were given up and wait for a person. */
final class DeadLetters implements Check {
    /** In either table: those that the dead letter table could not take are in the outbox only. */
    private static final String OF_CLAIMS = """
            select (select count(*) from (select 1 from {dead_letter} limit 1000000) capped)
                 + (select count(*) from (
                        select 1 from {outbox} o
                        where o.status = 'DEAD_LETTER'
                          and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id)
                        limit 1000000) capped) as dead
            """;

    /** Those that the dead letter table could not take stand beside the log. */
    private static final String OF_LOG = """
            select (select count(*) from (select 1 from {dead_letter} limit 1000000) capped)
                 + (select count(*) from (
                        select 1 from {parked} f
                        where f.state = 'DEAD'
                          and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                        limit 1000000) capped) as dead
            """;

    private final DatabaseSession session;
    private final String select;

    /**
     * @param mode null if it is not known
     */
    DeadLetters(DatabaseSession session, OutboxTable table, @Nullable OutboxMode mode) {
        this.session = session;
        this.select = (mode == OutboxMode.LOG ? OF_LOG : OF_CLAIMS)
                .replace("{dead_letter}", Catalogue.quoted(session.family(), table.deadLetterSql()))
                .replace("{parked}", table.parkedSql())
                .replace("{outbox}", Catalogue.quoted(session.family(), table.sql()));
    }

    @Override
    public List<Finding> examine() throws SQLException {
        long dead = session.one(select, row -> row.getLong("dead"));
        return List.of(
                dead == 0
                        ? Finding.ok("There are no dead letters.")
                        : Finding.warning(
                                Amounts.count(dead, "dead letter") + (dead == 1 ? " waits" : " wait")
                                        + " for a decision: given up, not delivered.",
                                "postrider dead list"));
    }
}
