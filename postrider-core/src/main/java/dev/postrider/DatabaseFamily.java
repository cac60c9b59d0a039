package dev.postrider;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Databases that Postrider speaks to in the same words. */
public enum DatabaseFamily {
    /** PostgreSQL 13 or newer. */
    POSTGRESQL(List.of("jdbc:postgresql:"), OutboxLayout.DEFAULT),
    /** MariaDB 10.6 or newer, MySQL 8.0.19 or newer. Claim mode only. */
    MYSQL(List.of("jdbc:mariadb:", "jdbc:mysql:"), OutboxLayout.claim());

    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.(\\d+)");

    private final List<String> urls;
    private final OutboxLayout standardLayout;

    DatabaseFamily(List<String> urls, OutboxLayout standardLayout) {
        this.urls = urls;
        this.standardLayout = standardLayout;
    }

    /**
     * @throws PostriderException if it is a database, or a version of one, that Postrider cannot use
     */
    public static DatabaseFamily of(Connection connection) throws SQLException {
        DatabaseMetaData server = connection.getMetaData();
        String product = server.getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB" -> atLeast(server, 10, 6, 0);
            case "MySQL" -> atLeast(server, 8, 0, 19);
            default ->
                throw new PostriderException("The database is " + product
                        + "; Postrider can use PostgreSQL 13, MariaDB 10.6, MySQL 8.0.19, or newer ones.");
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
     * @throws PostriderException if it is none of a database that Postrider can use
     */
    public static DatabaseFamily ofUrl(String jdbcUrl) {
        for (DatabaseFamily family : values()) {
            if (family.urls.stream().anyMatch(jdbcUrl::startsWith)) {
                return family;
            }
        }
        throw new PostriderException(
                "The database's URL must begin with jdbc:postgresql:, jdbc:mariadb: or jdbc:mysql:.");
    }

    /** What a new outbox has unless it is said otherwise. */
    public OutboxLayout standardLayout() {
        return standardLayout;
    }

    /**
     * @throws PostriderException if an outbox on these databases cannot be like that
     */
    public void require(OutboxLayout layout) {
        if (this == MYSQL && layout.mode() != OutboxMode.CLAIM) {
            throw new PostriderException(
                    "Log mode needs PostgreSQL. On MariaDB and MySQL an outbox is read by claiming its"
                            + " rows: choose mode claim.");
        }
    }
}
