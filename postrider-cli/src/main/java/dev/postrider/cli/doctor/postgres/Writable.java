package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** Whether this is a server, and a user, that may write: a relay marks the events it sends. */
final class Writable implements Check {
    private static final String SELECT = """
            select pg_is_in_recovery() as standby,
                   current_setting('default_transaction_read_only')::boolean as read_only,
                   quote_ident(current_user) as usr
            """;

    private final DatabaseSession session;

    Writable(DatabaseSession session) {
        this.session = session;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, row -> {
            if (row.getBoolean("standby")) {
                return List.of(Finding.error(
                        "The server is a standby: no relay can claim events here.",
                        "connect to the primary; with several hosts in db.url, add targetServerType=primary to it"));
            }
            if (row.getBoolean("read_only")) {
                return List.of(Finding.error(
                        "Transactions of this user are read only: no relay can claim events.",
                        "alter role " + row.getString("usr")
                                + " set default_transaction_read_only = off;  -- after: begin read write;"));
            }
            return List.of(Finding.ok("The server is a primary and accepts writes."));
        });
    }
}
