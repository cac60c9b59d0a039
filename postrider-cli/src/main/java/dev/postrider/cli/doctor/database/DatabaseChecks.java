package dev.postrider.cli.doctor.database;

import dev.postrider.DatabaseFamily;
import dev.postrider.cli.doctor.Check;
import dev.postrider.cli.doctor.DatabaseSession;
import dev.postrider.cli.doctor.Limits;
import dev.postrider.cli.doctor.mysql.MySqlServer;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What is looked at on the server, by name. */
public final class DatabaseChecks {
    private DatabaseChecks() {}

    /**
     * @param connections makes fresh ones, to see how they behave
     */
    public static Map<String, Check> of(DatabaseSession session, Supplier<Connection> connections, Limits limits) {
        if (session.family() == DatabaseFamily.MYSQL) {
            Map<String, Check> checks = MySqlServer.checks(session, limits);
            checks.put("clock", new Clock(session, limits));
            return checks;
        }
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("version", new Version(session));
        checks.put("writable", new Writable(session));
        checks.put("durability", new Durability(session));
        checks.put("isolation", new Isolation(session));
        checks.put("pooling", new Pooling(connections));
        checks.put("connections", new FreeConnections(session, limits));
        checks.put("clock", new Clock(session, limits));
        checks.put("transactions", new OpenTransactions(session, limits));
        checks.put("prepared-transactions", new PreparedTransactions(session, limits));
        checks.put("replication-slots", new ReplicationSlots(session, limits));
        return checks;
    }
}
