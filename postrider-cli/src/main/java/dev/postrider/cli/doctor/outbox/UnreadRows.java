package dev.postrider.cli.doctor.outbox;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.Amounts;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Rows that no relay will ever send, because of what their writers put into them. */
final class UnreadRows implements Check {
    /** No index has them: if the table is too large to be read as a whole, the session's limit ends it. */
    private static final String FOREIGN_TO_CLAIMS = """
            select count(*) as events from (select 1 from {outbox} where status = 'LOG' limit 1000) capped
            """;

    private static final String FOREIGN_TO_LOG = """
            select count(*) as events from (
                select 1 from {outbox} where status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED') limit 1000) capped
            """;

    private static final String NEVER_OF_CLAIMS = """
            select count(*) as events from (
                select 1 from {outbox}
                where status in ('PENDING', 'FAILED') and next_attempt_at > clock_timestamp() + interval '100 years'
                limit 1000) capped
            """;

    private static final String NEVER_OF_LOG = """
            select count(*) as events from (
                select 1 from {parked}
                where state in ('FAILED', 'SCHEDULED') and next_attempt_at > clock_timestamp() + interval '100 years'
                limit 1000) capped
            """;

    private static final String NEVER_ON_MYSQL = """
            select count(*) as events from (
                select 1 from {outbox}
                where to_send in (1, 2) and next_attempt_at > utc_timestamp(6) + interval 100 year
                limit 1000) capped
            """;

    /**
     * Rows with ids that had been drawn before their transactions began: relays begin to read behind those. No index has them,
     * so it is the lowest and the highest ids that are looked at. What a relay that noticed has read again since, from the
     * first id on, is not among them: its mark has the lowest floor of all.
     */
    private static final String PASSED_BY_LOG = """
            with now as (
                select s.relfilenode::bigint as sequence
                from pg_class s
                where s.oid = to_regclass(pg_get_serial_sequence('{outbox}', 'id'))
            ), looked_at as (
                (select id, tx_id from {outbox} where status = 'LOG' order by id limit 20000)
                union
                (select id, tx_id from {outbox} where status = 'LOG' order by id desc limit 20000)
            )
            select count(*) as events
            from looked_at o
            cross join now
            cross join lateral (
                select c.tx_id, c.floor from {cursor} c
                where c.sequence = now.sequence and c.tx_id < o.tx_id
                order by c.tx_id desc
                limit 1
            ) m
            where o.id <= m.floor
              and o.id <= (select min(c.floor) from {cursor} c where c.sequence = now.sequence and c.tx_id >= m.tx_id)
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final OutboxMode mode;

    UnreadRows(DatabaseSession session, OutboxTable table, OutboxMode mode) {
        this.session = session;
        this.table = table;
        this.mode = mode;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        boolean mysql = session.family() == DatabaseFamily.MYSQL;
        boolean log = mode == OutboxMode.LOG;
        List<Finding> findings = new ArrayList<>();
        long never = count(mysql ? NEVER_ON_MYSQL : log ? NEVER_OF_LOG : NEVER_OF_CLAIMS);
        if (never > 0) {
            findings.add(Finding.warning(
                    Amounts.count(never, "event") + (never == 1 ? " is" : " are")
                            + " to be sent in more than a hundred years, or never.",
                    "look at next_attempt_at of " + (log ? table.parkedSql() : table.sql())));
        }
        long foreign = mysql ? 0 : count(log ? FOREIGN_TO_LOG : FOREIGN_TO_CLAIMS);
        if (foreign > 0) {
            findings.add(Finding.error(
                    Amounts.count(foreign, "row") + (foreign == 1 ? " has" : " have")
                            + " a status that relays in " + mode.label() + " mode do not look at: "
                            + (foreign == 1 ? "it is" : "they are") + " never sent.",
                    log
                            ? "write these events again without naming a status, and delete the rows"
                            : "update " + table.sql() + " set status = 'PENDING' where status = 'LOG'"));
        }
        long passed = log ? count(PASSED_BY_LOG) : 0;
        if (passed > 0) {
            findings.add(Finding.error(
                    Amounts.count(passed, "row") + (passed == 1 ? " has an id" : " have ids")
                            + " that had been passed when " + (passed == 1 ? "it was" : "they were")
                            + " written: relays do not look there any more, so "
                            + (passed == 1 ? "it was" : "they were") + " probably not sent.",
                    "write these events again without naming an id, and delete the rows"));
        }
        return findings.isEmpty() ? List.of(Finding.ok("Every row will be read by a relay.")) : findings;
    }

    private long count(String select) throws SQLException {
        return session.one(
                select.replace("{outbox}", Catalogue.quoted(session.family(), table.sql()))
                        .replace("{cursor}", table.cursorSql())
                        .replace("{parked}", table.parkedSql()),
                row -> row.getLong("events"));
    }
}
