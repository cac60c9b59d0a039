package dev.postrider.internal.store;

import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.regex.Pattern;

/** What errors of databases mean. Every part of Postrider that has to decide it asks here. */
public final class SqlErrors {
    /** PostgreSQL's; and that of MariaDB and MySQL, for which also the number has to be looked at. */
    private static final String UNIQUE_VIOLATION = "23505";

    private static final int DUPLICATE_ENTRY = 1062;

    private static final String ABORTED = "25P02";

    private static final Set<String> UNDEFINED_TABLE = Set.of("42P01", "42S02");

    /**
     * Classes of states that are nobody's fault among the rows: no connection (08), the state of the transaction (25, 2D),
     * prepared statements that got lost (26), who may log in (28), the database does not exist (3D), lost against others
     * (40), resources (53), not in the right state, locks (55), interrupted by an operator (57), the system (58).
     */
    private static final Set<String> OF_THE_SERVER =
            Set.of("08", "25", "26", "28", "2D", "3D", "40", "53", "55", "57", "58");

    /** No privilege; also what a policy of row security, or a trigger, raises for a single row. */
    private static final String FORBIDDEN = "42501";

    /** Of the MySQL family, for a database, a table, a column. */
    private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143);

    /** Classes of a statement that cannot work, for any row: a missing table or privilege (42), what is not supported (0A). */
    private static final Set<String> OF_THE_STATEMENT = Set.of("42", "0A");

    /**
     * Errors of MariaDB and MySQL whose state says nothing or something else: disk full (1021, 1114, 28 of the system as
     * 1030), no memory (1037, 1038, 1041), too many connections (1040, 1203), shutdown (1053), connections that were lost
     * (1152–1161, 1927), locks (1205, 1206, 1213, 1412, 3572), read-only (1290, 1792, 1836), interrupted (1317, 1969, 3024),
     * clusters (1047, 3100), prepared statements that got lost (1243, 1615), a commit, a file or a thread that failed (3,
     * 1026, 1135, 1180, 1878).
     */
    private static final Set<Integer> VENDOR_CODES_OF_THE_SERVER = Set.of(
            3, 1021, 1026, 1030, 1037, 1038, 1040, 1041, 1047, 1053, 1114, 1135, 1152, 1158, 1159, 1160, 1161, 1180,
            1203, 1205, 1206, 1213, 1243, 1290, 1317, 1412, 1615, 1792, 1836, 1878, 1927, 1969, 3024, 3100, 3572);

    /** Of the MySQL family: locks that took too long (1205), too many (1206), a deadlock (1213), a table that was changed (1412). */
    private static final Set<Integer> LOST_AGAINST_OTHERS = Set.of(1205, 1206, 1213, 1412);

    /** Class 28: user or password; 3D and 42: a database or schema that is not there, or is not for this user. */
    private static final Pattern REFUSED = Pattern.compile("(28|3D|42).*");

    /** Class 08: connection; 53300: no connection left; 57P01 and so on: shuts down, has crashed, starts up, drops sessions. */
    private static final Pattern OUT_OF_REACH = Pattern.compile("08.*|53300|57P0[1235]");

    /** Disk full, read-only. */
    private static final Set<String> FULL_OR_READ_ONLY = Set.of("53100", "25006");

    private static final Set<Integer> VENDOR_CODES_OF_FULL_OR_READ_ONLY = Set.of(1021, 1030, 1114, 1290, 1792, 1836);

    private SqlErrors() {}

    /** Whose fault an error is. */
    public enum Fault {
        /** Of some of the rows that the statement was about: without them it works. */
        OF_ROWS,
        /** Of the server, or of the way there: the same may work later. */
        OF_THE_SERVER,
        /** Of the tables or privileges: the same works when a person has mended them. */
        OF_THE_STATEMENT
    }

    /**
     * Whose fault it is. Values that do not fit (21, 22), constraints (23), limits (54), damaged data (XX), whatever triggers
     * raise (P0001, 45000) and whatever else is not known is a fault of rows.
     */
    public static Fault faultOf(SQLException e) {
        if (e instanceof SQLDataException) {
            // Drivers that cannot read a value often say no more.
            return Fault.OF_ROWS;
        }
        if (VENDOR_CODES_OF_THE_SERVER.contains(e.getErrorCode())) {
            return Fault.OF_THE_SERVER;
        }
        String state = e.getSQLState();
        if (state == null || state.length() < 2) {
            // Of drivers and pools, which have nothing to say about rows.
            return Fault.OF_THE_SERVER;
        }
        String kind = state.substring(0, 2);
        return OF_THE_SERVER.contains(kind)
                ? Fault.OF_THE_SERVER
                : OF_THE_STATEMENT.contains(kind) ? Fault.OF_THE_STATEMENT : Fault.OF_ROWS;
    }

    public static boolean isRowsFault(SQLException e) {
        return faultOf(e) == Fault.OF_ROWS;
    }

    /**
     * Whether the server has answered, so that its connection is as good as before: it refused the statement, or others were
     * faster. Not if the server itself is in trouble: another connection may lead to a better one.
     */
    public static boolean isAnswer(SQLException e) {
        return faultOf(e) != Fault.OF_THE_SERVER
                || LOST_AGAINST_OTHERS.contains(e.getErrorCode())
                || String.valueOf(e.getSQLState()).startsWith("40");
    }

    /** A statement. */
    @FunctionalInterface
    public interface Statement {
        void run() throws SQLException;
    }

    /**
     * The same, and what is forbidden counts too if only rows can be the reason.
     *
     * @param aboutNoRow the statement that failed, about no row: without the privilege it fails as well
     */
    public static boolean isRowsFault(SQLException e, Statement aboutNoRow) {
        if (!FORBIDDEN.equals(e.getSQLState())) {
            return isRowsFault(e);
        }
        try {
            aboutNoRow.run();
            return true;
        } catch (SQLException also) {
            e.addSuppressed(also);
            return false;
        }
    }

    /** Throws it again unless it is the fault of rows. */
    public static void requireRowsFault(SQLException e) throws SQLException {
        if (!isRowsFault(e)) {
            throw e;
        }
    }

    /**
     * Whether a table does not take something, for whatever reason, while the database answers: it is gone, forbidden, full,
     * read-only, or has a trigger or a constraint against it.
     */
    public static boolean isRefusal(SQLException e) {
        return faultOf(e) != Fault.OF_THE_SERVER
                || FULL_OR_READ_ONLY.contains(String.valueOf(e.getSQLState()))
                || VENDOR_CODES_OF_FULL_OR_READ_ONLY.contains(e.getErrorCode());
    }

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

    /** Whether the transaction takes no more statements because an earlier one failed, as PostgreSQL has it. */
    public static boolean isAborted(SQLException e) {
        return ABORTED.equals(e.getSQLState());
    }

    /** Whether a value could not be read or converted, as of a damaged row: without it the row may do. */
    public static boolean isAboutContent(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("22") || state.startsWith("XX") || state.startsWith("54");
    }

    /** Whether the user lacks a privilege. */
    public static boolean isForbidden(SQLException e) {
        return FORBIDDEN.equals(e.getSQLState()) || DENIED.contains(e.getErrorCode());
    }

    public static boolean isMissingTable(SQLException e) {
        return UNDEFINED_TABLE.contains(String.valueOf(e.getSQLState()));
    }

    /** A change of rows. */
    @FunctionalInterface
    public interface Update {
        int run() throws SQLException;
    }

    /** As many rows as were changed; none if there was one already. Not on PostgreSQL, whose transaction would be lost. */
    public static int unlessDuplicate(Update update) throws SQLException {
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
