package dev.postrider.cli.doctor.mysql;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.check.Severity;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What is looked at on a server of MariaDB or MySQL. */
final class MySqlServer {
    private static final String VARIABLES = """
            show global variables where variable_name in (
                'version', 'version_comment', 'read_only', 'innodb_read_only', 'super_read_only',
                'innodb_flush_log_at_trx_commit', 'innodb_doublewrite', 'log_bin', 'sync_binlog', 'binlog_format',
                'auto_increment_increment', 'wsrep_on', 'max_connections', 'tx_isolation', 'transaction_isolation')
            """;

    private static final String USED = "show global status where variable_name = 'Threads_connected'";

    private static final String TRANSACTIONS = """
            select t.trx_mysql_thread_id as id, p.user as usr,
                   timestampdiff(microsecond, t.trx_started, now(6)) / 1000000 as age, t.trx_rows_modified as changed
            from information_schema.innodb_trx t
            join information_schema.processlist p on p.id = t.trx_mysql_thread_id
            where p.db = database() and p.id <> connection_id()
              and t.trx_started < now(6) - interval (? * 1000) microsecond
            order by t.trx_started
            limit 10
            """;

    private final DatabaseSession session;
    private final Limits limits;

    private MySqlServer(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    /** By name. */
    static Map<String, Check> checks(DatabaseSession session, Limits limits) {
        MySqlServer server = new MySqlServer(session, limits);
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("version", server::version);
        checks.put("writable", server::writable);
        checks.put("durability", server::durability);
        checks.put("isolation", server::isolation);
        checks.put("ids", server::ids);
        checks.put("connections", server::connections);
        checks.put("transactions", server::transactions);
        return checks;
    }

    private Map<String, String> variables() throws SQLException {
        return session.list(VARIABLES, row -> Map.entry(row.getString(1), row.getString(2))).stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static boolean isOn(Map<String, String> variables, String name) {
        return List.of("ON", "1", "YES").contains(variables.getOrDefault(name, "OFF"));
    }

    /** The connection was refused if it is too old. */
    private List<Finding> version() throws SQLException {
        Map<String, String> variables = variables();
        return List.of(Finding.ok("The server is " + variables.getOrDefault("version", "of an unknown version") + " ("
                + variables.getOrDefault("version_comment", "") + ")."));
    }

    private List<Finding> writable() throws SQLException {
        Map<String, String> variables = variables();
        if (isOn(variables, "read_only") || isOn(variables, "super_read_only") || isOn(variables, "innodb_read_only")) {
            return List.of(Finding.error(
                    "The server is read only, as replicas are: no relay can claim events here.",
                    "connect to the primary"));
        }
        return List.of(Finding.ok("The server accepts writes."));
    }

    private List<Finding> durability() throws SQLException {
        Map<String, String> variables = variables();
        List<Finding> findings = new ArrayList<>();
        String flush = variables.getOrDefault("innodb_flush_log_at_trx_commit", "1");
        if (!flush.equals("1")) {
            findings.add(Finding.warning(
                    "innodb_flush_log_at_trx_commit is " + flush + ": a crash can take back the last committed"
                            + " transactions, although some of their events may have been sent.",
                    "set global innodb_flush_log_at_trx_commit = 1;  -- and in the server's option file"));
        }
        if (variables.getOrDefault("innodb_doublewrite", "ON").equals("OFF")) {
            findings.add(Finding.warning(
                    "innodb_doublewrite is off: unless the file system writes whole pages, a crash can damage tables.",
                    "innodb_doublewrite = ON  -- in the server's option file"));
        }
        boolean binlog = isOn(variables, "log_bin");
        if (binlog && !variables.getOrDefault("sync_binlog", "1").equals("1")) {
            findings.add(Finding.warning(
                    "sync_binlog is " + variables.get("sync_binlog")
                            + ": after a crash the binary log may lack the last"
                            + " transactions, and replicas their events.",
                    "set global sync_binlog = 1;  -- and in the server's option file"));
        }
        if (binlog && variables.getOrDefault("binlog_format", "ROW").equals("STATEMENT")) {
            findings.add(Finding.error(
                    "binlog_format is STATEMENT, with which no transaction under READ COMMITTED may write: no relay can"
                            + " claim events.",
                    "set global binlog_format = 'ROW';  -- and in the server's option file"));
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok("What is committed survives a crash: innodb_flush_log_at_trx_commit is 1."));
        }
        return findings;
    }

    private List<Finding> isolation() throws SQLException {
        Map<String, String> variables = variables();
        String level =
                variables.getOrDefault("transaction_isolation", variables.getOrDefault("tx_isolation", "unknown"));
        return List.of(
                Finding.ok("The default isolation level is " + level + "; relays use READ-COMMITTED whatever it is."));
    }

    private List<Finding> ids() throws SQLException {
        Map<String, String> variables = variables();
        String increment = variables.getOrDefault("auto_increment_increment", "1");
        boolean galera = isOn(variables, "wsrep_on");
        if (galera || !increment.equals("1")) {
            return List.of(Finding.error(
                    (galera ? "wsrep_on is ON" : "auto_increment_increment is " + increment)
                            + ": with several primaries ids are not in the order of time, and relays that keep the order"
                            + " of keys refuse to start.",
                    "relay.ordering: none, or a server with a single primary"));
        }
        return List.of(Finding.ok("Ids come from one primary, in the order of time."));
    }

    private List<Finding> connections() throws SQLException {
        long most = Long.parseLong(variables().getOrDefault("max_connections", "0"));
        long used = session.one(USED, row -> row.getLong(2));
        long free = Math.max(0, most - used);
        String text = "%d of %s are in use, %d are free; a relay takes 4."
                .formatted(used, Amounts.count(most, "connection"), free);
        return List.of(
                free >= limits.freeConnections()
                        ? Finding.ok(text)
                        : Finding.warning(
                                text,
                                "make the pools of applications smaller, or: set global max_connections = " + 2 * most
                                        + ";"));
    }

    private List<Finding> transactions() throws SQLException {
        String atLeast = String.valueOf(limits.noticeableTransaction().toMillis());
        List<Finding> findings = new ArrayList<>(session.list(
                TRANSACTIONS,
                row -> transaction(
                        row.getLong("id"),
                        row.getString("usr"),
                        DatabaseSession.seconds(row, "age"),
                        row.getLong("changed")),
                atLeast));
        if (findings.isEmpty()) {
            findings.add(Finding.ok("No transaction in this database has been open for more than "
                    + Amounts.age(limits.noticeableTransaction()) + "."));
        }
        return findings;
    }

    private Finding transaction(long id, String user, Duration age, long changed) {
        return new Finding(
                age.compareTo(limits.longTransaction()) >= 0 ? Severity.WARNING : Severity.INFO,
                "Connection " + id + " (user " + user + ") has had a transaction open for " + Amounts.age(age) + ". "
                        + (changed > 0
                                ? "What it wrote is not there for anybody else yet, and old versions of rows are kept."
                                : "Old versions of rows are kept for it."),
                "kill " + id + ";  -- rolls it back; look at the application first");
    }
}
