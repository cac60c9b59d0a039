package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.check.Severity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Transactions in this database that do not end. The oldest ten. */
final class OpenTransactions implements Check {
    private static final String SELECT = """
            select pid,
                   extract(epoch from clock_timestamp() - xact_start) as age,
                   coalesce(state, 'unknown') as state,
                   coalesce(nullif(application_name, ''), 'no application name') as application,
                   coalesce(usename, 'unknown') as usr,
                   backend_xid is not null as writes
            from pg_stat_activity
            where datname = current_database()
              and backend_type = 'client backend'
              and pid <> pg_backend_pid()
              and xact_start < clock_timestamp() - ?::bigint * interval '1 millisecond'
            order by xact_start
            limit 10
            """;

    private static final String SEES_OTHERS = """
            select pg_has_role('pg_read_all_stats', 'usage') as sees_others, quote_ident(current_user) as usr
            """;

    private final DatabaseSession session;
    private final Limits limits;

    OpenTransactions(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        String atLeast = String.valueOf(limits.noticeableTransaction().toMillis());
        List<Finding> findings = new ArrayList<>(session.list(SELECT, this::describe, atLeast));
        if (findings.isEmpty()) {
            findings.add(Finding.ok(
                    "No transaction has been open for more than " + Amounts.age(limits.noticeableTransaction()) + "."));
        }
        findings.addAll(session.one(SEES_OTHERS, OpenTransactions::blindness));
        return findings;
    }

    private static List<Finding> blindness(ResultSet row) throws SQLException {
        return row.getBoolean("sees_others")
                ? List.of()
                : List.of(Finding.info(
                        "This user sees only its own transactions; those of others may be open for long.",
                        "grant pg_read_all_stats to " + row.getString("usr") + ";"));
    }

    private Finding describe(ResultSet row) throws SQLException {
        Duration age = DatabaseSession.seconds(row, "age");
        int pid = row.getInt("pid");
        String text = "Server process %d (%s, user %s) has had a transaction open for %s; it is %s. "
                        .formatted(
                                pid,
                                row.getString("application"),
                                row.getString("usr"),
                                Amounts.age(age),
                                row.getString("state"))
                + (row.getBoolean("writes")
                        ? "What it wrote is not there for anybody else yet, and vacuum keeps what it could still see."
                        : "Vacuum keeps what it could still see.");
        boolean isLong = age.compareTo(limits.longTransaction()) >= 0;
        return new Finding(
                isLong ? Severity.WARNING : Severity.INFO,
                text,
                "select pg_terminate_backend(" + pid + ");  -- rolls it back; look at the application first");
    }
}
