package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A PostgreSQL data directory and the programs that work on it. It knows files and commands; whether and when the server
 * runs is {@link ServerLife}'s business.
 */
final class PostgresCluster {

    static final String USER = "postgres";
    static final String PASSWORD = "postgres";

    private static final Duration INITIALISATION = Duration.ofMinutes(2);
    // macOS refuses to start the server without a valid locale; all that matters about locales is in the settings.
    private static final Map<String, String> ENVIRONMENT = Map.of("LC_ALL", "C");

    private final Workspace workspace;
    private final Account account;
    private final PostgresBinaries binaries;
    private final Path data;

    private PostgresCluster(Workspace workspace, Account account, PostgresBinaries binaries) {
        this.workspace = workspace;
        this.account = account;
        this.binaries = binaries;
        this.data = workspace.path().resolve("data");
    }

    static PostgresCluster in(Workspace workspace) {
        return in(workspace, Account.choose());
    }

    static PostgresCluster in(Workspace workspace, Account account) {
        Path cache =
                CacheDirectory.find(account.seesOurFiles(), workspace.path().resolve("binaries"));
        return new PostgresCluster(workspace, account, PostgresBinaries.unpackedIn(cache));
    }

    Path data() {
        return data;
    }

    Path log() {
        return workspace.path().resolve("postgres.log");
    }

    /** Creates an empty database cluster, unless there is one. */
    void initialise() {
        create(this::fillWithNothing);
    }

    /** Creates a standby of the server that the backup copies. */
    void initialise(BaseBackup backup) {
        create(unfinished -> fillWithCopy(unfinished, backup));
    }

    private interface Filling {
        /** Makes the directory, too. */
        void fill(Path unfinished) throws IOException;
    }

    /** Creates the data directory unless there is one. One with the final name is always complete. */
    private void create(Filling filling) {
        try {
            if (workspace.isTemporary()) {
                account.letThrough(workspace.path());
            }
            if (Files.isDirectory(data)) {
                account.handOver(data);
                return;
            }
            // The watchdog knows it by this name.
            Path unfinished = workspace.path().resolve("data.unfinished");
            Workspace.delete(unfinished);
            filling.fill(unfinished);
            Files.move(unfinished, data);
        } catch (IOException e) {
            throw new DevServicesException(
                    "PostgreSQL could not create its data directory in " + workspace.path() + ": " + e
                            + "; check that it is yours and that there is space",
                    e);
        }
    }

    private void fillWithNothing(Path unfinished) throws IOException {
        Files.createDirectory(unfinished);
        account.handOver(unfinished);
        Path password = Files.writeString(workspace.path().resolve("password"), PASSWORD + "\n");
        account.handOver(password);
        List<String> options = new ArrayList<>(List.of(
                "-D",
                unfinished.toString(),
                "-U",
                USER,
                "--pwfile",
                password.toString(),
                "--auth",
                "scram-sha-256",
                "--encoding",
                "UTF8",
                "--locale",
                "C",
                "--no-instructions"));
        if (workspace.isTemporary()) {
            // What follows is as durable as ever; only a power cut in the first seconds could damage what is empty.
            options.add("--no-sync");
        }
        Command.Outcome outcome = command("initdb", options).run(INITIALISATION);
        Files.delete(password);
        if (!outcome.isSuccess()) {
            throw new DevServicesException("PostgreSQL could not create its data directory in " + workspace.path()
                    + ": initdb ended with exit code " + outcome.exitCode() + " and said:\n"
                    + outcome.output().indent(4).stripTrailing());
        }
    }

    private void fillWithCopy(Path unfinished, BaseBackup backup) throws IOException {
        backup.copyTo(unfinished);
        Files.writeString(unfinished.resolve("standby.signal"), "");
        // Where ALTER SYSTEM can change it. The last line of a name counts, so it does not matter whom the server that
        // was copied has followed in its time.
        Files.writeString(
                unfinished.resolve("postgresql.auto.conf"),
                "\nprimary_conninfo = 'host=127.0.0.1 port=%d user=%s password=%s'\n"
                        .formatted(backup.port(), USER, PASSWORD),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        account.handOver(unfinished);
    }

    /**
     * Replaces the configuration file. A file, and not options on the command line, because those could not be changed
     * any more by ALTER SYSTEM.
     */
    void configure(Map<String, String> settings) {
        StringBuilder text = new StringBuilder("# written at every start\n");
        settings.forEach((name, value) -> text.append(name)
                .append(" = '")
                .append(value.replace("\\", "\\\\").replace("'", "''"))
                .append("'\n"));
        Path file = data.resolve("postgresql.conf");
        try {
            Files.writeString(file, text);
            account.handOver(file);
        } catch (IOException e) {
            throw new DevServicesException("cannot write PostgreSQL's settings to " + file + ": " + e, e);
        }
    }

    Command server() {
        return command("postgres", List.of("-D", data.toString()));
    }

    /** Unlike after a kill, no shared memory stays behind, whatever the mode. */
    Command stop(StopMode mode, Duration limit) {
        String word = mode == StopMode.ORDERLY ? "fast" : "immediate";
        return command(
                "pg_ctl",
                List.of("-D", data.toString(), "-m", word, "-t", Long.toString(limit.toSeconds()), "-w", "stop"));
    }

    private Command command(String program, List<String> options) {
        List<String> words = new ArrayList<>();
        words.add(binaries.program(program));
        words.addAll(options);
        return new Command(account.wrap(words), workspace.path(), ENVIRONMENT);
    }

    /** A server whose owner was killed a moment ago is still being stopped by its watchdog. */
    void awaitEndOfOrphan(Duration limit) {
        Optional<ProcessHandle> orphan = postmaster()
                .flatMap(postmaster -> ProcessHandle.of(postmaster.pid()))
                .filter(PostgresCluster::isPostgres);
        if (orphan.isPresent() && !Waiting.until(limit, () -> ServerProcess.hasEnded(orphan.get()))) {
            throw new DevServicesException("another PostgreSQL (pid "
                    + orphan.get().pid() + ") works on " + data + ": stop it, or choose another data directory");
        }
    }

    private static boolean isPostgres(ProcessHandle handle) {
        return handle.info().command().map(path -> path.contains("postgres")).orElse(false);
    }

    /** Whether the server of this pid accepts connections. */
    boolean isReady(long pid) {
        return postmaster().filter(new Postmaster(pid, "ready")::equals).isPresent();
    }

    /** What the running or crashed server says about itself in its pid file. */
    private record Postmaster(long pid, String status) {}

    private Optional<Postmaster> postmaster() {
        try {
            List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
            // The first line is the pid, the eighth the state; the server writes them one after the other.
            return lines.size() < 8
                    ? Optional.empty()
                    : Optional.of(new Postmaster(
                            Long.parseLong(lines.get(0).strip()), lines.get(7).strip()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
