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
                select 1 from {outbox} where status in ('PENDING', 'SENDING', 'FAILED', 'HELD') limit 1000) capped
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
        return findings.isEmpty() ? List.of(Finding.ok("Every row will be read by a relay.")) : findings;
    }

    private long count(String select) throws SQLException {
        return session.one(
                select.replace("{outbox}", Catalogue.quoted(session.family(), table.sql()))
                        .replace("{parked}", table.parkedSql()),
                row -> row.getLong("events"));
    }
}
