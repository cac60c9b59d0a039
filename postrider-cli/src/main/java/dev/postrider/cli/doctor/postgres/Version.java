package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** Whether the server is new enough. */
final class Version implements Check {
    private static final int OLDEST = 13;

    private static final String SELECT = """
            select current_setting('server_version') as version,
                   current_setting('server_version_num')::integer / 10000 as major
            """;

    private final DatabaseSession session;

    Version(DatabaseSession session) {
        this.session = session;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, row -> {
            String server = "The server is PostgreSQL " + row.getString("version");
            return List.of(
                    row.getInt("major") >= OLDEST
                            ? Finding.ok(server + ".")
                            : Finding.error(
                                    server + "; Postrider needs " + OLDEST + " or newer.",
                                    "upgrade the server with pg_upgrade"));
        });
    }
}
