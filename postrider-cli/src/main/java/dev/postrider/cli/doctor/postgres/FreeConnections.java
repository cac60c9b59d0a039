package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import java.sql.SQLException;
import java.util.List;

/** Whether relays and writers will get connections. */
final class FreeConnections implements Check {
    /** Some are kept for superusers, and from PostgreSQL 16 on for others too. */
    private static final String SELECT = """
            select current_setting('max_connections')::bigint as most,
                   current_setting('superuser_reserved_connections')::bigint
                       + coalesce(current_setting('reserved_connections', true), '0')::bigint as reserved,
                   (select sum(numbackends) from pg_stat_database)::bigint as used
            """;

    private final DatabaseSession session;
    private final Limits limits;

    FreeConnections(DatabaseSession session, Limits limits) {
        this.session = session;
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, row -> {
            long most = row.getLong("most");
            long used = row.getLong("used");
            long free = Math.max(0, most - row.getLong("reserved") - used);
            String text = ("%d of %s are in use, %d are free for users; a relay takes 4, and one for each"
                            + " shard it reads if delivery is exactly once.")
                    .formatted(used, Amounts.count(most, "connection"), free);
            return List.of(
                    free >= limits.freeConnections()
                            ? Finding.ok(text)
                            : Finding.warning(
                                    text,
                                    "make the pools of applications smaller, or: alter system set max_connections = "
                                            + 2 * most + "; and restart the server"));
        });
    }
}
