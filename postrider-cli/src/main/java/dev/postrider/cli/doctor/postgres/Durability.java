package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Whether "committed" survives a crash: the promise reaches no further than that. */
final class Durability implements Check {
    private static final String SELECT = """
            select current_setting('fsync') as fsync,
                   current_setting('synchronous_commit') as synchronous_commit,
                   (select source from pg_settings where name = 'synchronous_commit') as source,
                   quote_ident(current_user) as usr,
                   quote_ident(current_database()) as db
            """;

    private final DatabaseSession session;

    Durability(DatabaseSession session) {
        this.session = session;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, row -> {
            List<Finding> findings = new ArrayList<>();
            if (row.getString("fsync").equals("off")) {
                findings.add(Finding.error(
                        "fsync is off: a crash of the machine can destroy the whole database, events included.",
                        "alter system set fsync = on; select pg_reload_conf();"));
            }
            if (row.getString("synchronous_commit").equals("off")) {
                findings.add(Finding.warning(
                        "synchronous_commit is off for this user: a crash can take back the last committed"
                                + " transactions, although some of their events may have been sent.",
                        switchOn(row)));
            }
            if (findings.isEmpty()) {
                findings.add(Finding.ok("What is committed survives a crash: fsync is on, synchronous_commit is "
                        + row.getString("synchronous_commit") + "."));
            }
            return findings;
        });
    }

    /** Where it was switched off: elsewhere the statement would change nothing. */
    private static String switchOn(ResultSet row) throws SQLException {
        return switch (row.getString("source")) {
            case "user" -> "alter role " + row.getString("usr") + " set synchronous_commit = on;";
            case "database" -> "alter database " + row.getString("db") + " set synchronous_commit = on;";
            case "database user" ->
                "alter role " + row.getString("usr") + " in database " + row.getString("db")
                        + " set synchronous_commit = on;";
            case "client" -> "take synchronous_commit out of db.url";
            default -> "alter system set synchronous_commit = on; select pg_reload_conf();";
        };
    }
}
