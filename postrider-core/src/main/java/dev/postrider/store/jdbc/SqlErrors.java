package dev.postrider.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.regex.Pattern;

/** What errors of databases mean. */
public final class SqlErrors {
    /** PostgreSQL's; and that of MariaDB and MySQL, for which also the number has to be looked at. */
    private static final String UNIQUE_VIOLATION = "23505";

    private static final int DUPLICATE_ENTRY = 1062;

    private static final Set<String> UNDEFINED_TABLE = Set.of("42P01", "42S02");

    /** Class 28: user or password; 3D and 42: a database or schema that is not there, or is not for this user. */
    private static final Pattern REFUSED = Pattern.compile("(28|3D|42).*");

    /** Class 08: connection; 53300: no connection left; 57P01 and so on: shuts down, has crashed, starts up, drops sessions. */
    private static final Pattern OUT_OF_REACH = Pattern.compile("08.*|53300|57P0[1235]");

    private SqlErrors() {}

    /** Whether something is there already that may be there once. */
    public static boolean isDuplicate(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState()) || e.getErrorCode() == DUPLICATE_ENTRY;
    }

    /**
     * Whether the database cannot be reached, is starting or stopping, or has no connection to spare: waiting may help. A
     * refused password or a database that does not exist is none of that, whatever a pool makes of it.
     */
    public static boolean isUnreachable(SQLException e) {
        boolean unreachable = false;
        for (Throwable cause = e; cause != null; cause = cause.getCause() == cause ? null : cause.getCause()) {
            if (cause instanceof SQLException sql) {
                String state = String.valueOf(sql.getSQLState());
                if (REFUSED.matcher(state).matches()) {
                    return false;
                }
                unreachable |= sql instanceof SQLTransientConnectionException
                        || sql instanceof SQLTimeoutException
                        || OUT_OF_REACH.matcher(state).matches();
            }
        }
        return unreachable;
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
