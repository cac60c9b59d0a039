package dev.postrider.cli.doctor.postgres;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DatabaseSession;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.List;

/** The isolation level the user gets by default. Relays set their own. */
final class Isolation implements Check {
    private static final String SELECT = """
            select current_setting('default_transaction_isolation') as level, quote_ident(current_user) as usr
            """;

    private final DatabaseSession session;

    Isolation(DatabaseSession session) {
        this.session = session;
    }

    @Override
    public List<Finding> examine() throws SQLException {
        return session.one(SELECT, row -> {
            String level = row.getString("level");
            return List.of(
                    level.equals("read committed")
                            ? Finding.ok("The default isolation level is read committed.")
                            : Finding.info(
                                    "The default isolation level is " + level + ". Relays use read committed all the"
                                            + " same; writers may meet more serialization failures.",
                                    "alter role " + row.getString("usr")
                                            + " set default_transaction_isolation = 'read committed';"));
        });
    }
}
