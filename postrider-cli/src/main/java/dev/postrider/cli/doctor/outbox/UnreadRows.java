package dev.postrider.cli.doctor.outbox;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.UnreadReport;
import dev.postrider.cli.doctor.Amounts;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Finding;
import dev.postrider.internal.store.jdbc.JdbcStores;
import dev.postrider.internal.write.ContentHash;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Rows that no relay will ever send, because of what their writers put into them. */
final class UnreadRows implements Check {
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

    /** Relays look at all rows, which takes its time; here it is the lowest and the highest ids. */
    private static final int LOOKED_AT = 20_000;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final OutboxLayout layout;

    UnreadRows(DatabaseSession session, OutboxTable table, OutboxLayout layout) {
        this.session = session;
        this.table = table;
        this.layout = layout;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        boolean mysql = session.family() == DatabaseFamily.MYSQL;
        boolean log = layout.mode() == OutboxMode.LOG;
        List<Finding> findings = new ArrayList<>();
        long never = count(mysql ? NEVER_ON_MYSQL : log ? NEVER_OF_LOG : NEVER_OF_CLAIMS);
        if (never > 0) {
            findings.add(Finding.warning(
                    Amounts.count(never, "event") + (never == 1 ? " is" : " are")
                            + " to be sent in more than a hundred years, or never.",
                    "look at next_attempt_at of " + (log ? table.parkedSql() : table.sql())));
        }
        for (UnreadReport.Sentence one : UnreadReport.of(table, layout, unread(log))) {
            findings.add(Finding.error(one.finding(), one.fix()));
        }
        return findings.isEmpty() ? List.of(Finding.ok("Every row will be read by a relay.")) : findings;
    }

    private OutboxStatus.Unread unread(boolean log) throws SQLException {
        return session.inTransaction(connection -> {
            OutboxStatus.Unread noted = JdbcStores.forConnection(connection, table)
                    .statusStore(connection)
                    .status(connection)
                    .unread();
            if (!log) {
                return noted;
            }
            Set<Long> passed = new TreeSet<>(noted.passedIds());
            JdbcStores.log(table, layout, ContentHash.sha256())
                    .findPassed(connection, Long.MIN_VALUE, LOOKED_AT)
                    .rows()
                    .forEach(row -> passed.add(row.id()));
            return new OutboxStatus.Unread(noted.strangeStatus(), List.copyOf(passed));
        });
    }

    private long count(String select) throws SQLException {
        return session.one(
                select.replace("{outbox}", Catalogue.quoted(session.family(), table.sql()))
                        .replace("{parked}", table.parkedSql()),
                row -> row.getLong("events"));
    }
}
