package dev.postrider.devservices;

import dev.postrider.devservices.PostgresCluster.StopMode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
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
    private static final int PORT_ATTEMPTS = 5;
    /** Recovery of much data takes its time; a server that cannot start ends much sooner. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofSeconds(10);
    private static final Duration ORPHAN_LIMIT = Duration.ofSeconds(30);

    private static @Nullable DevPostgres shared;

    private final PostgresSettings settings;
    private final boolean closeable;
    private final Workspace workspace;
    private final Consumer<PostgresCluster> origin;
    private final Thread exitHook = new Thread(this::closeAtExit, "postrider-devpostgres-exit");

    private @Nullable PostgresCluster cluster;
    private @Nullable Watchdog watchdog;
    private @Nullable ServerProcess process;
    private volatile int port;
    private boolean crashed;
    private boolean closed;
    private volatile boolean exiting;

    /** Starts a server with the defaults, on a free port and in a temporary directory. */
    public static DevPostgres start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one server of this JVM, started by the first call. It ends with the JVM; closing it does nothing. Who kills or
     * stops it starts it again.
     */
    public static synchronized DevPostgres shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    /** @param origin where the data comes from, if there is none in the workspace */
    private DevPostgres(
            Workspace workspace,
            Consumer<PostgresCluster> origin,
            PostgresSettings settings,
            int port,
            boolean closeable) {
        this.workspace = workspace;
        this.origin = origin;
        this.settings = settings;
        this.port = port;
        this.closeable = closeable;
    }

    private synchronized void open() {
        long start = System.nanoTime();
        try {
            Runtime.getRuntime().addShutdownHook(exitHook);
            PostgresCluster opened = PostgresCluster.in(workspace);
            cluster = opened;
            // Before there is anything to watch, so that nothing is ever without it.
            watchdog = Watchdog.watch(
                    workspace.isTemporary()
                            ? opened.stop(StopMode.IMMEDIATE, MOMENT)
                            : opened.stop(StopMode.FAST, STOP_LIMIT),
                    workspace.temporaryPath());
            origin.accept(opened);
            opened.awaitEndOfOrphan(ORPHAN_LIMIT);
            if (port != 0) {
                launch(opened);
            } else {
                launchOnFreePort(opened);
            }
        } catch (RuntimeException | Error e) {
            try {
                end();
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        logStart(start);
    }

    private void launchOnFreePort(PostgresCluster cluster) {
        for (int attempt = 1; ; attempt++) {
            port = FreePorts.choose(1).get(0);
            try {
                launch(cluster);
                return;
            } catch (DevServicesException e) {
                // Taken by somebody between choosing and binding?
                if (process != null || FreePorts.isFree(port) || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void launch(PostgresCluster cluster) {
        cluster.configure(settings.on(port));
        long deadline = System.nanoTime() + MOMENT.toNanos();
        while (true) {
            ServerProcess launched = ServerProcess.launch("PostgreSQL", cluster.server(), cluster.log());
            process = launched;
            boolean decided = Waiting.until(
                    START_LIMIT, () -> exiting || !launched.isRunning() || cluster.isReady(launched.pid()));
            if (exiting) {
                // The process stays for a moment: who closes us ends it properly.
                throw new DevServicesException("PostgreSQL was not started, because the JVM is exiting");
            }
            if (decided && launched.isRunning()) {
                crashed = false;
                return;
            }
            String tail = launched.logTail();
            crashed |= launched.isRunning();
            launched.kill();
            process = null;
            // A child of a killed server that was too young to be seen needs a moment to notice; see ServerProcess.
            boolean haunted = launched.hasSaid("is still in use") && System.nanoTime() < deadline;
            if (!haunted) {
                throw new DevServicesException("PostgreSQL did not start on port " + port + ": it "
                        + (decided ? "ended" : "was not ready within " + START_LIMIT.toSeconds() + " s")
                        + (FreePorts.isFree(port) ? "" : "; port " + port + " is in use by another process")
                        + "; " + tail);
            }
        }
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
        return port;
    }

    /** The process id of the postmaster, the parent of all of the server's processes. */
    public synchronized long pid() {
        return running().pid();
    }

    /** The end of what the running server has said, for an error message. */
    synchronized String logTail() {
        return running().logTail();
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
     * Starts a standby that follows this server: with the same settings, in a temporary directory and on a free port of
     * its own. Returns when it can be read. This server may be written to meanwhile, needs no restart, and may be a
     * standby itself.
     */
    public DevStandby startStandby() {
        try (BaseBackup backup = baseBackup()) {
            DevPostgres standby = new DevPostgres(
                    Workspace.open("postgres", null),
                    cluster -> cluster.initialise(backup),
                    new PostgresSettings(settings),
                    0,
                    true);
            standby.open();
            log.info("PostgreSQL on port {} follows the one on port {}", standby.port(), port);
            return new DevStandby(this, standby);
        }
    }

    private synchronized BaseBackup baseBackup() {
        running();
        return BaseBackup.of(port, cluster().data());
    }

    private static String validated(String database) {
        if (!database.matches("[a-z_][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException(
                    "'" + database + "' is not a name for a database: use lower-case letters,"
                            + " digits and underscores, at most 63, and do not begin with a digit");
        }
        return database;
    }

    public synchronized boolean isRunning() {
        return process != null && process.isRunning();
    }

    /** Stops the server in an orderly way: clients are disconnected, everything is written. Keeps data and port. */
    public synchronized void stop() {
        if (isRunning()) {
            stop(StopMode.FAST);
            log.info("PostgreSQL on port {} stopped", port);
        }
    }

    private void stop(StopMode mode) {
        ServerProcess stopping = running();
        // One that has only just been launched cannot be told anything yet, and loses track of its shared memory
        // if it is cut off while it sets that up.
        Waiting.until(MOMENT, () -> !stopping.isRunning() || cluster().isReady(stopping.pid()));
        Command.Outcome outcome = cluster().stop(mode, STOP_LIMIT).run(STOP_LIMIT.plusSeconds(5));
        if (!outcome.isSuccess() || !stopping.awaitExit(STOP_LIMIT)) {
            log.warn("PostgreSQL on port {} did not stop and is killed: {}", port, outcome.output());
            stopping.kill();
            crashed = true;
        }
        process = null;
    }

    /** A crash: all of the server's processes are killed at once. Keeps data and port. */
    public synchronized void kill() {
        if (isRunning()) {
            running().kill();
            process = null;
            crashed = true;
            log.info("PostgreSQL on port {} killed", port);
        }
    }

    /** Starts the server again on the same data and the same port, after stopping it if it is running. */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("this DevPostgres is closed: start a new one");
        }
        stop();
        long start = System.nanoTime();
        launch(cluster());
        logStart(start);
    }

    private void logStart(long start) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        log.info("PostgreSQL on port {} started in {} ms (pid {}, {})", port, millis, pid(), workspace.path());
    }

    /** Ends the server and deletes its data, unless the user named the data directory. */
    @Override
    public synchronized void close() {
        if (closeable && !closed) {
            end();
        }
    }

    private void closeAtExit() {
        // A start in progress holds the monitor: let it give up.
        exiting = true;
        synchronized (this) {
            if (!closed) {
                end();
            }
        }
    }

    private void end() {
        closed = true;
        // An interrupted thread has to clean up as well.
        boolean interrupted = Thread.interrupted();
        try {
            if (isRunning()) {
                stop(workspace.isTemporary() ? StopMode.IMMEDIATE : StopMode.FAST);
                log.info("PostgreSQL on port {} ended", port);
            }
            if (crashed && workspace.isTemporary()) {
                freeSharedMemory();
            }
        } finally {
            if (watchdog != null) {
                watchdog.dismiss();
            }
            workspace.close();
            forgetExitHook();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void forgetExitHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(exitHook);
        } catch (IllegalStateException e) {
            // The JVM is exiting: the hook is running or about to, and finds nothing left to do.
        }
    }

    /**
     * A killed server leaves shared memory behind that only a server on the same data directory finds and frees, as the
     * first thing it does. So we start one for this moment before the directory is gone for ever.
     */
    private void freeSharedMemory() {
        PostgresCluster mine = cluster();
        ServerProcess launched = ServerProcess.launch("PostgreSQL", mine.server(), mine.log());
        try {
            Waiting.until(MOMENT, () -> !launched.isRunning() || mine.isReady(launched.pid()));
            mine.stop(StopMode.IMMEDIATE, MOMENT).run(MOMENT);
        } finally {
            launched.kill();
        }
    }

    private ServerProcess running() {
        if (process == null || !process.isRunning()) {
            throw new IllegalStateException("PostgreSQL is not running: restart() starts it");
        }
        return process;
    }

    private PostgresCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("PostgreSQL has not been started");
        }
        return cluster;
    }

    /** What can be chosen about a {@link DevPostgres}; everything has a default. */
    public static final class Builder {

        private final PostgresSettings settings = new PostgresSettings();
        private @Nullable Path dataDirectory;
        private int port;

        private Builder() {}

        /**
         * Where the server keeps its data and its log. The directory is created if needed, kept on close and can be used
         * again. Default: a temporary directory, deleted on close.
         */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /** Default: a free one. */
        public Builder port(int port) {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
            }
            this.port = port;
            return this;
        }

        /** Any setting of {@code postgresql.conf}, except those that decide where the server is. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        public DevPostgres start() {
            return start(true);
        }

        private DevPostgres start(boolean closeable) {
            Workspace workspace = Workspace.open("postgres", dataDirectory);
            DevPostgres postgres = new DevPostgres(
                    workspace, PostgresCluster::initialise, new PostgresSettings(settings), port, closeable);
            postgres.open();
            return postgres;
        }
    }
}
