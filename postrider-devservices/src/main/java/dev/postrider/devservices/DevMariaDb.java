package dev.postrider.devservices;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server, in a child process of this JVM. On Linux with x86-64.
 *
 * <p>It is as durable as a server in production ({@code innodb_flush_log_at_trx_commit} is 1, pages are written twice),
 * listens on the loopback interface only, and can be stopped, killed and restarted on the same data and the same port.
 *
 * <p>Nothing stays behind: the server ends on {@link #close()}, when this JVM exits, and within seconds when this JVM is
 * killed. A data directory that was not named by the user is deleted then.
 *
 * <p>All methods may be called from any thread. One that starts or stops the server returns when that is done.
 */
public final class DevMariaDb implements AutoCloseable {

    private static final String DEFAULT_DATABASE = MariaDbHome.DATABASE;

    private static @Nullable DevMariaDb shared;

    private final ServerLife life;
    private final MariaDbNode node;

    /** Starts a server with the defaults, on a free port and in a temporary directory. */
    public static DevMariaDb start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one server of this JVM, started by the first call. It ends with the JVM; closing it does nothing. A test that
     * kills or stops it must start it again.
     */
    public static synchronized DevMariaDb shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    private DevMariaDb(ServerLife life, MariaDbNode node) {
        this.life = life;
        this.node = node;
    }

    /** The URL of the default database. It contains neither user nor password. */
    public String jdbcUrl() {
        return jdbcUrl(DEFAULT_DATABASE);
    }

    public String jdbcUrl(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port() + "/" + validated(database);
    }

    /** An account that may do everything. */
    public String user() {
        return MariaDbHome.USER;
    }

    public String password() {
        return MariaDbHome.PASSWORD;
    }

    /** The same for the whole life of this object. */
    public int port() {
        return node.port();
    }

    /** The process id of the server. */
    public long pid() {
        return life.pid(node);
    }

    /**
     * Creates an empty database.
     *
     * @param name lower-case letters, digits and underscores, at most 63, not beginning with a digit
     * @return its JDBC URL
     */
    public String createDatabase(String name) {
        String sql = "CREATE DATABASE " + validated(name) + " CHARACTER SET utf8mb4";
        try (Connection connection = DriverManager.getConnection(jdbcUrl(), user(), password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new DevServicesException("the database " + name + " could not be created: " + e.getMessage(), e);
        }
        return jdbcUrl(name);
    }

    private static String validated(String database) {
        if (!database.matches("[a-z_][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException(
                    "'" + database + "' is not a name for a database: use lower-case letters,"
                            + " digits and underscores, at most 63, and do not begin with a digit");
        }
        return database;
    }

    public boolean isRunning() {
        return life.isRunning(node);
    }

    /** Stops the server cleanly: clients are disconnected, everything is written. Keeps data and port. */
    public void stop() {
        life.stop();
    }

    /** A crash: the server is killed at once. Keeps data and port. */
    public void kill() {
        life.kill();
    }

    /** Starts the server again on the same data and the same port, after stopping it if it is running. */
    public void restart() {
        life.restart();
    }

    /** Ends the server and deletes its data, unless the user named the data directory. */
    @Override
    public void close() {
        life.close();
    }

    /** Options of a {@link DevMariaDb}; everything has a default. */
    public static final class Builder {

        private final MariaDbSettings settings = new MariaDbSettings();
        private @Nullable Path dataDirectory;
        private WantedPort port = WantedPort.ANY;

        private Builder() {}

        /**
         * Where the server keeps its data and its log. The directory is created if needed, kept on close and can be used
         * again. Default: a temporary directory, deleted on close.
         */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /** The port; the start fails if it is taken. Default: a free port. */
        public Builder port(int port) {
            this.port = WantedPort.exactly(port);
            return this;
        }

        /** This port if it is free, otherwise another one. */
        public Builder preferredPort(int port) {
            this.port = WantedPort.preferably(port);
            return this;
        }

        /** Any setting of the server's option file, except addresses, directories and log files. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        public DevMariaDb start() {
            return start(true);
        }

        private DevMariaDb start(boolean closeable) {
            Workspace workspace = Workspace.open("mariadb", dataDirectory);
            MariaDbNode node = new MariaDbNode(workspace, new MariaDbSettings(settings), port);
            ServerLife life = new ServerLife(node.name(), workspace, List.of(node), closeable);
            life.open();
            return new DevMariaDb(life, node);
        }
    }
}
