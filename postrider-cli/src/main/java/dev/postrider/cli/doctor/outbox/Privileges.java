package dev.postrider.cli.doctor.outbox;

import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Severity;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether this user may do what a relay does, and what operators do. */
final class Privileges implements Check {
    private static final String SELECT = """
            select has_table_privilege(to_regclass(?), ?) as may
            """;

    /** The table's sequence, if this user may not ask for its last value. */
    private static final String SEQUENCE = """
            select s.seqrelid::regclass::text as sql
            from pg_sequence s
            where s.seqrelid = to_regclass(pg_get_serial_sequence(?, 'id'))
              and not has_sequence_privilege(s.seqrelid, 'select')
              and not has_sequence_privilege(s.seqrelid, 'usage')
            """;

    private static final String USER = """
            select quote_ident(current_user) as usr
            """;

    private final DatabaseSession session;
    private final OutboxTable table;
    private final @Nullable OutboxMode mode;
    private final List<Need> needs;

    /**
     * @param mode null if it is not known; then only what relays of every mode need is looked at
     */
    Privileges(DatabaseSession session, OutboxTable table, @Nullable OutboxMode mode) {
        this.session = session;
        this.table = table;
        this.mode = mode;
        this.needs = new ArrayList<>();
        if (mode == OutboxMode.CLAIM) {
            needs.add(new Need(table.sql(), List.of("select", "update"), Severity.ERROR, "no relay can claim events"));
        } else {
            needs.add(new Need(table.sql(), List.of("select"), Severity.ERROR, "no relay can read events"));
        }
        if (mode == OutboxMode.LOG) {
            needs.add(new Need(
                    table.cursorSql(),
                    List.of("select", "insert"),
                    Severity.ERROR,
                    "no relay can record how far it has read"));
            needs.add(new Need(
                    table.cursorSql(), List.of("delete"), Severity.WARNING, "the cursors' history grows for ever"));
            needs.add(new Need(
                    table.parkedSql(),
                    List.of("select", "insert", "update", "delete"),
                    Severity.ERROR,
                    "no relay can set failed events aside"));
        }
        needs.addAll(List.of(
                new Need(table.sql(), List.of("delete"), Severity.WARNING, "published events cannot be deleted"),
                new Need(
                        table.sql(),
                        List.of("insert"),
                        Severity.INFO,
                        "who writes events, or brings them back, needs another user"),
                new Need(
                        table.leaseSql(),
                        List.of("select", "insert", "update", "delete"),
                        Severity.ERROR,
                        "no relay can say that it is alive"),
                new Need(table.settingsSql(), List.of("select"), Severity.ERROR, "no relay can start"),
                new Need(
                        table.deadLetterSql(),
                        List.of("select", "insert", "update", "delete"),
                        Severity.WARNING,
                        "dead letters go to a local file, and operators cannot send them again"),
                new Need(table.auditSql(), List.of("select", "insert"), Severity.INFO, "operators need another user")));
    }

    /**
     * @param without what happens if one of the privileges is missing
     */
    private record Need(String table, List<String> privileges, Severity severity, String without) {}

    @Override
    public List<Finding> examine() throws SQLException {
        String user = session.one(USER, row -> row.getString("usr"));
        List<Finding> findings = new ArrayList<>();
        for (Need need : needs) {
            List<String> missing = new ArrayList<>();
            for (String privilege : need.privileges()) {
                if (!session.one(SELECT, row -> row.getBoolean("may"), need.table(), privilege)) {
                    missing.add(privilege);
                }
            }
            if (!missing.isEmpty()) {
                String list = String.join(", ", missing);
                findings.add(new Finding(
                        need.severity(),
                        "The user " + user + " may not " + list + " on " + need.table() + ": " + need.without() + ".",
                        "grant " + list + " on " + need.table() + " to " + user + ";"));
            }
        }
        if (mode == OutboxMode.LOG) {
            findings.addAll(session.list(SEQUENCE, row -> sequence(user, row.getString("sql")), table.sql()));
        }
        return findings.isEmpty()
                ? List.of(Finding.ok("The user " + user + " may do all that relays, writers and operators do."))
                : findings;
    }

    private static Finding sequence(String user, String sequence) {
        return Finding.error(
                "The user " + user + " may not select on the sequence " + sequence
                        + ": no relay can see where the log ends.",
                "grant select on sequence " + sequence + " to " + user + ";");
    }
}
