package dev.postrider.devservices;

import dev.postrider.devservices.MariaDbHome.StopMode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger log = LoggerFactory.getLogger(DevMariaDb.class);

    private static final String DEFAULT_DATABASE = MariaDbHome.DATABASE;
    private static final int PORT_ATTEMPTS = 5;
    /** Recovery of much data takes its time; a server that cannot start ends much sooner. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofSeconds(10);
    private static final Duration ORPHAN_LIMIT = Duration.ofSeconds(30);

    private static @Nullable DevMariaDb shared;

    private final MariaDbSettings settings;
    private final boolean closeable;
    private final Workspace workspace;
    private final Thread exitHook = new Thread(this::closeAtExit, "postrider-devmariadb-exit");

    private @Nullable MariaDbHome home;
    private @Nullable Watchdog watchdog;
    private @Nullable ServerProcess process;
    private volatile int port;
    private boolean closed;
    private volatile boolean exiting;

    /** Starts a server with the defaults, on a free port and in a temporary directory. */
    public static DevMariaDb start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one server of this JVM, started by the first call. It ends with the JVM; closing it does nothing. Who kills or
     * stops it starts it again.
     */
    public static synchronized DevMariaDb shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    private DevMariaDb(Workspace workspace, MariaDbSettings settings, int port, boolean closeable) {
        this.workspace = workspace;
        this.settings = settings;
        this.port = port;
        this.closeable = closeable;
    }

    private synchronized void open() {
        long start = System.nanoTime();
        try {
            Runtime.getRuntime().addShutdownHook(exitHook);
            MariaDbHome opened = MariaDbHome.in(workspace);
            home = opened;
            // Before there is anything to watch, so that nothing is ever without it.
            watchdog = Watchdog.watch(
                    workspace.isTemporary()
                            ? opened.stop(StopMode.AT_ONCE, MOMENT)
                            : opened.stop(StopMode.ORDERLY, STOP_LIMIT),
                    workspace.temporaryPath());
            opened.awaitEndOfOrphan(ORPHAN_LIMIT);
            opened.initialise();
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

    private void launchOnFreePort(MariaDbHome home) {
        for (int attempt = 1; ; attempt++) {
            port = FreePorts.choose(1).get(0);
            try {
                launch(home);
                return;
            } catch (DevServicesException e) {
                // Taken by somebody between choosing and binding?
                if (process != null || FreePorts.isFree(port) || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void launch(MariaDbHome home) {
        home.configure(settings.on(port));
        ServerProcess launched = ServerProcess.launch("MariaDB", home.server(), home.log());
        process = launched;
        boolean decided = Waiting.until(START_LIMIT, () -> exiting || !launched.isRunning() || isReady(launched));
        if (exiting) {
            // The process stays for a moment: who closes us ends it properly.
            throw new DevServicesException("MariaDB was not started, because the JVM is exiting");
        }
        if (decided && launched.isRunning()) {
            return;
        }
        String tail = launched.logTail();
        launched.kill();
        process = null;
        throw new DevServicesException("MariaDB did not start on port " + port + ": it "
                + (decided ? "ended" : "was not ready within " + START_LIMIT.toSeconds() + " s")
                + (FreePorts.isFree(port) ? "" : "; port " + port + " is in use by another process")
                + "; " + tail);
    }

    private static boolean isReady(ServerProcess launched) {
        return launched.hasSaid("ready for connections");
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
        return port;
    }

    /** The process id of the server. */
    public synchronized long pid() {
        return running().pid();
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

    public synchronized boolean isRunning() {
        return process != null && process.isRunning();
    }

    /** Stops the server in an orderly way: clients are disconnected, everything is written. Keeps data and port. */
    public synchronized void stop() {
        if (isRunning()) {
            stop(StopMode.ORDERLY);
            log.info("MariaDB on port {} stopped", port);
        }
    }

    private void stop(StopMode mode) {
        ServerProcess stopping = running();
        Command.Outcome outcome = home().stop(mode, STOP_LIMIT).run(STOP_LIMIT.plusSeconds(5));
        if (!outcome.isSuccess() || !stopping.awaitExit(STOP_LIMIT)) {
            log.warn("MariaDB on port {} did not stop and is killed: {}", port, outcome.output());
            stopping.kill();
        }
        process = null;
    }

    /** A crash: the server is killed at once. Keeps data and port. */
    public synchronized void kill() {
        if (isRunning()) {
            running().kill();
            process = null;
            log.info("MariaDB on port {} killed", port);
        }
    }

    /** Starts the server again on the same data and the same port, after stopping it if it is running. */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("this DevMariaDb is closed: start a new one");
        }
        stop();
        long start = System.nanoTime();
        launch(home());
        logStart(start);
    }

    private void logStart(long start) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        log.info("MariaDB on port {} started in {} ms (pid {}, {})", port, millis, pid(), workspace.path());
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
                stop(workspace.isTemporary() ? StopMode.AT_ONCE : StopMode.ORDERLY);
                log.info("MariaDB on port {} ended", port);
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

    private ServerProcess running() {
        if (process == null || !process.isRunning()) {
            throw new IllegalStateException("MariaDB is not running: restart() starts it");
        }
        return process;
    }

    private MariaDbHome home() {
        if (home == null) {
            throw new IllegalStateException("MariaDB has not been started");
        }
        return home;
    }

    /** What can be chosen about a {@link DevMariaDb}; everything has a default. */
    public static final class Builder {

        private final MariaDbSettings settings = new MariaDbSettings();
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

        /** Any setting of the server's option file, except those that decide where the server is. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        public DevMariaDb start() {
            return start(true);
        }

        private DevMariaDb start(boolean closeable) {
            Workspace workspace = Workspace.open("mariadb", dataDirectory);
            DevMariaDb mariaDb = new DevMariaDb(workspace, new MariaDbSettings(settings), port, closeable);
            mariaDb.open();
            return mariaDb;
        }
    }
}
