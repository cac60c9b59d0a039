package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A MariaDB data directory and the commands that work on it. It knows files and commands; whether and when the server
 * runs is {@link ServerLife}'s business.
 */
final class MariaDbHome {

    static final String USER = "root";
    static final String PASSWORD = "mariadb";
    static final String DATABASE = "postrider";

    private static final Duration INITIALISATION = Duration.ofMinutes(2);

    /** Puts down its process id at once, and not only when the server has started, then becomes the server. */
    private static final String LAUNCH = "echo $$ > \"$0\"; exec \"$@\"";

    /**
     * Ends the server of the pid file, if the process of that number is the one that was started with our options. One
     * that is being launched this very moment has not put down its number yet, hence the first loop.
     */
    private static final String STOP = """
            for i in 1 2 3 4 5; do [ -s "$1" ] && break; sleep 0.2; done
            pid=$(cat "$1") || exit 0
            mine() { ps -o args= -p "$pid" | grep -qF -- "$2"; }
            mine "$@" || exit 0
            kill -s "$3" "$pid"
            for i in $(seq 1 "$4"); do mine "$@" || exit 0; sleep 0.1; done
            exit 1
            """;

    // The root account of the system tables' script has no password, and one account for each name of this machine.
    private static final String ACCOUNT = """
            DELETE FROM global_priv WHERE User = 'root';
            FLUSH PRIVILEGES;
            CREATE USER '%1$s'@'%%' IDENTIFIED BY '%2$s';
            GRANT ALL PRIVILEGES ON *.* TO '%1$s'@'%%' WITH GRANT OPTION;
            CREATE DATABASE %3$s CHARACTER SET utf8mb4;
            """.formatted(USER, PASSWORD, DATABASE);

    private final Workspace workspace;
    private final MariaDbBinaries binaries;
    private final Path data;
    private final Path options;
    private final Path pidFile;

    private MariaDbHome(Workspace workspace, MariaDbBinaries binaries) {
        this.workspace = workspace;
        this.binaries = binaries;
        this.data = workspace.path().resolve("data");
        this.options = workspace.path().resolve("my.cnf");
        this.pidFile = workspace.path().resolve("mariadbd.pid");
    }

    static MariaDbHome in(Workspace workspace) {
        Path cache = CacheDirectory.find(true, workspace.path().resolve("binaries"));
        return new MariaDbHome(workspace, MariaDbBinaries.unpackedIn(cache));
    }

    Path log() {
        return workspace.path().resolve("mariadb.log");
    }

    /** Creates the data directory unless there is one. One with the final name is always complete. */
    void initialise() {
        if (Files.isDirectory(data)) {
            return;
        }
        try {
            // The watchdog knows it by this name.
            Path unfinished = workspace.path().resolve("data.unfinished");
            Workspace.delete(unfinished);
            Files.createDirectory(unfinished);
            Path script = Files.writeString(workspace.path().resolve("bootstrap.sql"), bootstrap());
            Command.Outcome outcome = bootstrapping(unfinished, script).run(INITIALISATION);
            Files.delete(script);
            if (!outcome.isSuccess()) {
                throw new DevServicesException("MariaDB could not create its data directory in " + workspace.path()
                        + ": it ended with exit code " + outcome.exitCode() + " and said:\n"
                        + outcome.output().indent(4).stripTrailing());
            }
            Files.move(unfinished, data);
        } catch (IOException e) {
            throw new DevServicesException(
                    "MariaDB could not create its data directory in " + workspace.path() + ": " + e
                            + "; check that it is yours and that there is space",
                    e);
        }
    }

    private String bootstrap() throws IOException {
        StringBuilder script = new StringBuilder("""
                CREATE DATABASE mysql;
                USE mysql;
                SET @auth_root_socket = NULL;
                """);
        for (String part : List.of(
                "mariadb_system_tables.sql",
                "mariadb_performance_tables.sql",
                "mariadb_system_tables_data.sql",
                "maria_add_gis_sp_bootstrap.sql")) {
            script.append(Files.readString(binaries.share().resolve(part))).append('\n');
        }
        return script.append(ACCOUNT).toString();
    }

    private Command bootstrapping(Path directory, Path script) {
        List<String> words = new ArrayList<>(List.of(
                "/bin/sh", "-c", "exec \"$@\" < \"$0\"", script.toString(), binaries.server(), "--no-defaults"));
        words.addAll(whereEverythingIs(directory));
        // What follows is as durable as ever; only a power cut in the first second could damage what is empty.
        words.addAll(List.of("--bootstrap", "--innodb-flush-log-at-trx-commit=0"));
        return new Command(words, workspace.path());
    }

    private List<String> whereEverythingIs(Path directory) {
        List<String> words = new ArrayList<>(List.of(
                "--basedir=" + binaries.home(),
                "--lc-messages-dir=" + binaries.share(),
                "--datadir=" + directory,
                // A server that starts deletes temporary tables there, be they another one's.
                "--tmpdir=" + temporary(),
                "--pid-file=" + pidFile));
        if (Account.isRoot()) {
            // It runs as root only if it is told to in so many words.
            words.add("--user=root");
        }
        return words;
    }

    private Path temporary() {
        Path directory = workspace.path().resolve("tmp");
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new DevServicesException(
                    "MariaDB has no directory for temporary tables, " + directory + ": " + e
                            + "; check that it is yours and that there is space",
                    e);
        }
    }

    /** Replaces the option file. */
    void configure(Map<String, String> settings) {
        StringBuilder text = new StringBuilder("# written at every start\n[mariadbd]\n");
        settings.forEach((name, value) -> text.append(name)
                .append("=\"")
                .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                .append("\"\n"));
        try {
            Files.writeString(options, text);
        } catch (IOException e) {
            throw new DevServicesException("cannot write MariaDB's settings to " + options + ": " + e, e);
        }
    }

    Command server() {
        List<String> words = new ArrayList<>(
                List.of("/bin/sh", "-c", LAUNCH, pidFile.toString(), binaries.server(), "--defaults-file=" + options));
        words.addAll(whereEverythingIs(data));
        return new Command(words, workspace.path());
    }

    Command stop(StopMode mode, Duration limit) {
        return new Command(
                List.of(
                        "/bin/sh",
                        "-c",
                        STOP,
                        "postrider-stop",
                        pidFile.toString(),
                        options.toString(),
                        mode == StopMode.ORDERLY ? "TERM" : "KILL",
                        Long.toString(limit.toMillis() / 100)),
                workspace.path());
    }

    /** A server whose owner was killed a moment ago is still being stopped by its watchdog. */
    void awaitEndOfOrphan(Duration limit) {
        Optional<ProcessHandle> orphan = pid().flatMap(ProcessHandle::of).filter(MariaDbHome::isMariaDb);
        if (orphan.isPresent() && !Waiting.until(limit, () -> ServerProcess.hasEnded(orphan.get()))) {
            throw new DevServicesException("another MariaDB (pid "
                    + orphan.get().pid() + ") works on " + data + ": stop it, or choose another data directory");
        }
    }

    private Optional<Long> pid() {
        try {
            return Optional.of(Long.parseLong(Files.readString(pidFile).strip()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static boolean isMariaDb(ProcessHandle handle) {
        return handle.info().command().map(path -> path.contains("mariadbd")).orElse(false);
    }
}
