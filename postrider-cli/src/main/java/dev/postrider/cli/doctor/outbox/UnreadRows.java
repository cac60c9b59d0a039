package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.status.UnreadReport;
import dev.postrider.internal.write.ContentHash;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Rows that no relay will ever send, because of what their writers put into them. */
final class UnreadRows implements Check {
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
        boolean log = layout.mode() == OutboxMode.LOG;
        List<Finding> findings = new ArrayList<>();
        long never = count(session.doctor().neverSent(layout.mode()));
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
            OutboxStatus.Unread noted = session.database()
                    .outboxStore(table)
                    .statusStore(connection)
                    .status(connection)
                    .unread();
            if (!log) {
                return noted;
            }
            Set<Long> passed = new TreeSet<>(noted.passedIds());
            session.database()
                    .logStore(table, layout, ContentHash.sha256())
                    .findPassed(connection, Long.MIN_VALUE, LOOKED_AT)
                    .rows()
                    .forEach(row -> passed.add(row.id()));
            return new OutboxStatus.Unread(noted.unexpectedStatus(), List.copyOf(passed));
        });
    }

    private long count(String select) throws SQLException {
        return session.one(
                select.replace("{outbox}", session.database().quoted(table.sql()))
                        .replace("{parked}", table.parkedSql()),
                row -> row.getLong("events"));
    }
}
