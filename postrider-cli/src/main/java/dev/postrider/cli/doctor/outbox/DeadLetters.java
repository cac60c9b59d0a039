package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
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

    /** Those that not even the table beside the log could take. */
    private static final String UNRECORDED = """
            select string_agg(distinct id, ', ') as ids
            from {settings} s, unnest(string_to_array(s.value, ',')) as id
            where s.name = 'unrecorded_dead_letters'
              and case when id ~ '^[0-9]{1,18}$'
                       then not exists (select 1 from {dead_letter} l where l.outbox_id = id::bigint)
                            and not exists (select 1 from {parked} f where f.outbox_id = id::bigint) end
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final @Nullable OutboxMode mode;

    /**
     * @param mode null if it is not known
     */
    DeadLetters(DatabaseSession session, OutboxTable table, @Nullable OutboxMode mode) {
        this.session = session;
        this.table = table;
        this.mode = mode;
    }

    private String inTables(String select) {
        return select.replace("{dead_letter}", session.database().quoted(table.deadLetterSql()))
                .replace("{parked}", table.parkedSql())
                .replace("{settings}", table.settingsSql())
                .replace("{outbox}", session.database().quoted(table.sql()));
    }

    @Override
    public List<Finding> examine() throws SQLException {
        long dead = session.one(inTables(mode == OutboxMode.LOG ? OF_LOG : OF_CLAIMS), row -> row.getLong("dead"));
        List<Finding> findings = new ArrayList<>(unrecorded());
        if (dead > 0) {
            findings.add(Finding.warning(
                    Amounts.count(dead, "dead letter") + (dead == 1 ? " waits" : " wait")
                            + " for a decision: given up, not delivered.",
                    "postrider dead list"));
        }
        return findings.isEmpty() ? List.of(Finding.ok("There are no dead letters.")) : findings;
    }

    private List<Finding> unrecorded() throws SQLException {
        if (mode != OutboxMode.LOG) {
            return List.of();
        }
        String ids = session.one(inTables(UNRECORDED), row -> row.getString("ids"));
        if (ids == null) {
            return List.of();
        }
        return List.of(Finding.error(
                "These events are dead letters that no table took when they died: " + ids
                        + ". The log of the relay, its file and its alert of that time have them.",
                "mend what makes " + table.deadLetterSql() + " and " + table.parkedSql()
                        + " refuse rows; write the events again, or restore them from the file; then: delete from "
                        + table.settingsSql() + " where name = 'unrecorded_dead_letters'"));
    }
}
