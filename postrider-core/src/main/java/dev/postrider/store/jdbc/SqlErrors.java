package dev.postrider.store.jdbc;

import java.sql.SQLException;
import java.util.Set;

/** What errors of databases mean. */
public final class SqlErrors {
    /** PostgreSQL's; and that of MariaDB and MySQL, for which also the number has to be looked at. */
    private static final String UNIQUE_VIOLATION = "23505";

    private static final int DUPLICATE_ENTRY = 1062;

    private static final Set<String> UNDEFINED_TABLE = Set.of("42P01", "42S02");

    private SqlErrors() {}

    /** Whether something is there already that may be there once. */
    public static boolean isDuplicate(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState()) || e.getErrorCode() == DUPLICATE_ENTRY;
    }

    public static boolean isMissingTable(SQLException e) {
        return UNDEFINED_TABLE.contains(String.valueOf(e.getSQLState()));
    }

    /** A change of rows. */
    @FunctionalInterface
    interface Update {
        int run() throws SQLException;
    }

    /** As many rows as were changed; none if there was one already. Not on PostgreSQL, whose transaction would be lost. */
    static int unlessDuplicate(Update update) throws SQLException {
        try {
            return update.run();
        } catch (SQLException e) {
            if (isDuplicate(e)) {
                return 0;
            }
            throw e;
        }
    }
}
