package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Transactions that were prepared for a two-phase commit and then forgotten. They survive restarts. */
final class PreparedTransactions implements Check {
    private static final String SELECT = """
            select gid, quote_literal(gid) as literal, owner,
                   extract(epoch from clock_timestamp() - prepared) as age
            from pg_prepared_xacts
            where database = current_database()
              and prepared < clock_timestamp() - ?::bigint * interval '1 millisecond'
            order by prepared
            limit 10
            """;

    private final DatabaseSession session;
    private final Limits limits;

    PreparedTransactions(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        String atLeast = String.valueOf(limits.longTransaction().toMillis());
        List<Finding> findings = session.list(SELECT, PreparedTransactions::describe, atLeast);
        return findings.isEmpty() ? List.of(Finding.ok("No prepared transaction was forgotten.")) : findings;
    }

    private static Finding describe(ResultSet row) throws SQLException {
        String gid = row.getString("literal");
        return Finding.warning(
                "The transaction [%s] of user %s has been prepared for %s and not ended. Its events are not there for"
                                .formatted(
                                        row.getString("gid"),
                                        row.getString("owner"),
                                        Amounts.age(DatabaseSession.seconds(row, "age")))
                        + " anybody yet, it keeps its locks, and vacuum keeps what it could still see.",
                "rollback prepared " + gid + ";  or  commit prepared " + gid
                        + ";  -- its transaction manager knows which");
    }
}
