package dev.postrider;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Databases for which Postrider uses the same SQL. */
public enum DatabaseFamily {
    /** PostgreSQL 13 or newer. */
    POSTGRESQL(OutboxLayout.DEFAULT, Set.of(OutboxMode.LOG, OutboxMode.CLAIM)),
    /** MariaDB 10.6 or newer, MySQL 8.0.19 or newer. Claim mode only. */
    MYSQL(OutboxLayout.claim(), Set.of(OutboxMode.CLAIM));

    /** Ends sentences about those that are not known. */
    private static final String KNOWN = "it knows PostgreSQL from 13, MariaDB from 10.6 and MySQL from 8.0.19 on.";

    private static final String KNOWN_URLS = "it knows jdbc:postgresql:, jdbc:mariadb: and jdbc:mysql:.";

    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.(\\d+)");

    /** The part of a JDBC URL that names a database, and never a password. */
    private static final Pattern SUBPROTOCOL = Pattern.compile("jdbc:[A-Za-z0-9_+.-]+:");

    private final OutboxLayout standardLayout;
    private final Set<OutboxMode> modes;

    DatabaseFamily(OutboxLayout standardLayout, Set<OutboxMode> modes) {
        this.standardLayout = standardLayout;
        this.modes = modes;
    }

    /**
     * By the name that the database reports. A server that calls itself PostgreSQL is treated as one.
     *
     * @throws PostriderException if it is a database, or a version of one, that Postrider cannot use
     */
    public static DatabaseFamily of(Connection connection) throws SQLException {
        DatabaseMetaData server = connection.getMetaData();
        String product = String.valueOf(server.getDatabaseProductName());
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB" -> atLeast(server, 10, 6, 0);
            case "MySQL" -> atLeast(server, 8, 0, 19);
            default ->
                throw new PostriderException(
                        "The database is " + product + ", which Postrider does not know; " + KNOWN);
        };
    }

    private static DatabaseFamily atLeast(DatabaseMetaData server, int major, int minor, int patch)
            throws SQLException {
        int[] actual = {server.getDatabaseMajorVersion(), server.getDatabaseMinorVersion(), patchOf(server)};
        if (Arrays.compare(actual, new int[] {major, minor, patch}) < 0) {
            throw new PostriderException("The database is " + server.getDatabaseProductName() + " "
                    + server.getDatabaseProductVersion() + "; Postrider needs " + major + "." + minor + "." + patch
                    + " or newer.");
        }
        return MYSQL;
    }

    /** The number behind the two that drivers tell. */
    private static int patchOf(DatabaseMetaData server) throws SQLException {
        Matcher version = VERSION.matcher(server.getDatabaseProductVersion());
        return version.find() ? Integer.parseInt(version.group(1)) : 0;
    }

    /**
     * By the beginning of a JDBC URL.
     *
     * @throws PostriderException if it is not the URL of a database that Postrider can use
     */
    public static DatabaseFamily ofUrl(String jdbcUrl) {
        Matcher subprotocol = SUBPROTOCOL.matcher(jdbcUrl);
        String kind = subprotocol.lookingAt() ? subprotocol.group() : "no jdbc:NAME:";
        return switch (kind) {
            case "jdbc:postgresql:" -> POSTGRESQL;
            case "jdbc:mariadb:", "jdbc:mysql:" -> MYSQL;
            default ->
                throw new PostriderException(
                        "The database's URL begins with " + kind + ", which Postrider does not know; " + KNOWN_URLS);
        };
    }

    /** The default layout of a new outbox. */
    public OutboxLayout standardLayout() {
        return standardLayout;
    }

    /** @throws PostriderException if an outbox on these databases cannot have this layout */
    public void require(OutboxLayout layout) {
        if (!modes.contains(layout.mode())) {
            throw new PostriderException(
                    "Log mode needs PostgreSQL. On MariaDB and MySQL an outbox is read by claiming its"
                            + " rows: choose mode claim.");
        }
    }
}
