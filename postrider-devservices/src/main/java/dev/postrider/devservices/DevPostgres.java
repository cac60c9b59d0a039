package dev.postrider.devservices;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real PostgreSQL server, in child processes of this JVM.
 *
 * <p>It is as durable as a server in production ({@code fsync}, {@code synchronous_commit} and {@code full_page_writes}
 * are on), listens on the loopback interface only, and can be stopped, killed and restarted on the same data and the
 * same port.
 *
 * <p>Nothing stays behind: the server ends on {@link #close()}, when this JVM exits, and within seconds when this JVM is
 * killed. A data directory that was not named by the user is deleted then.
 *
 * <p>All methods may be called from any thread. One that starts or stops the server returns when that is done.
 */
public final class DevPostgres implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DevPostgres.class);

    private static final String DEFAULT_DATABASE = "postgres";

    private static @Nullable DevPostgres shared;

    private final ServerLife life;
    private final PostgresNode node;

    /** Starts a server with the defaults, on a free port and in a temporary directory. */
    public static DevPostgres start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one server of this JVM, started by the first call. It ends with the JVM; closing it does nothing. A test that
     * kills or stops it must start it again.
     */
    public static synchronized DevPostgres shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    private DevPostgres(ServerLife life, PostgresNode node) {
        this.life = life;
        this.node = node;
    }

    /**
     * @param origin where the data comes from, if there is none in the workspace
     */
    private static DevPostgres start(
            Workspace workspace,
            Consumer<PostgresCluster> origin,
            PostgresSettings settings,
            WantedPort port,
            boolean closeable) {
        PostgresNode node = new PostgresNode(workspace, origin, settings, port);
        ServerLife life = new ServerLife(node.name(), workspace, List.of(node), closeable);
        life.open();
        return new DevPostgres(life, node);
    }

    /** The URL of the default database. It contains neither user nor password. */
    public String jdbcUrl() {
        return jdbcUrl(DEFAULT_DATABASE);
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + validated(database);
    }

    /** A superuser. */
    public String user() {
        return PostgresCluster.USER;
    }

    public String password() {
        return PostgresCluster.PASSWORD;
    }

    /** The same for the whole life of this object. */
    public int port() {
        return node.port();
    }

    /** The process id of the postmaster, the parent of all of the server's processes. */
    public long pid() {
        return life.pid(node);
    }

    /** The end of what the running server has said, for an error message. */
    String logTail() {
        return life.logTail(node);
    }

    /**
     * Creates an empty database.
     *
     * @param name lower-case letters, digits and underscores, at most 63, not beginning with a digit
     * @return its JDBC URL
     */
    public String createDatabase(String name) {
        // Not template1: it cannot be copied while somebody is connected to it.
        String sql = "CREATE DATABASE " + validated(name) + " TEMPLATE template0";
        try (Connection connection = DriverManager.getConnection(jdbcUrl(), user(), password());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new DevServicesException("the database " + name + " could not be created: " + e.getMessage(), e);
        }
        return jdbcUrl(name);
    }

    /**
     * Starts a standby that follows this server: with the same settings, in a temporary directory and on a free port.
     * Returns when it can be read. You may write to this server meanwhile; it needs no restart, and may be a standby
     * itself.
     */
    public DevStandby startStandby() {
        try (BaseBackup backup = baseBackup()) {
            DevPostgres standby = start(
                    Workspace.open("postgres", null),
                    cluster -> cluster.initialise(backup),
                    new PostgresSettings(node.settings()),
                    WantedPort.ANY,
                    true);
            log.info("PostgreSQL on port {} follows the one on port {}", standby.port(), port());
            return new DevStandby(this, standby);
        }
    }

    private BaseBackup baseBackup() {
        // Says so if it is not running.
        pid();
        return BaseBackup.of(port(), node.cluster().data());
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

    /** A crash: all of the server's processes are killed at once. Keeps data and port. */
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

    /** Options of a {@link DevPostgres}; everything has a default. */
    public static final class Builder {

        private final PostgresSettings settings = new PostgresSettings();
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

        /** Any setting of {@code postgresql.conf}, except addresses, directories and log files. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        public DevPostgres start() {
            return start(true);
        }

        private DevPostgres start(boolean closeable) {
            return DevPostgres.start(
                    Workspace.open("postgres", dataDirectory),
                    PostgresCluster::initialise,
                    new PostgresSettings(settings),
                    port,
                    closeable);
        }
    }
}
