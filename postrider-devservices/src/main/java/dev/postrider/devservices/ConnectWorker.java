package dev.postrider.devservices;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The worker of a {@link DevConnect}, in a JVM of its own. Seen from the owner's side; {@link WorkerMain} is the other. */
final class ConnectWorker implements ServerNode {

    private static final String WORKER = "org.apache.kafka.connect.cli.ConnectDistributed";
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Workspace workspace;
    private final Path directory;
    private final Map<String, String> settings;
    private final WantedPort wantedPort;
    private final WorkerApi api;
    private volatile int port;

    ConnectWorker(Workspace workspace, Map<String, String> settings, WantedPort wantedPort) {
        this.workspace = workspace;
        this.directory = workspace.path().resolve("worker");
        this.settings = Map.copyOf(settings);
        this.wantedPort = wantedPort;
        this.api = new WorkerApi(this::url);
    }

    WorkerApi api() {
        return api;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public String name() {
        return "Kafka Connect";
    }

    @Override
    public String address() {
        return "port " + port;
    }

    @Override
    public List<WantedPort> wantedPorts() {
        return List.of(wantedPort);
    }

    @Override
    public void use(List<Integer> ports) {
        port = ports.get(0);
    }

    /** What is missing is told before a JVM ends with an error that does not tell. */
    @Override
    public void install() {
        try {
            Class.forName(WORKER, false, ConnectWorker.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new DevServicesException(
                    "Kafka Connect was not started: its worker is not on the class path; add"
                            + " org.apache.kafka:connect-runtime, and for Debezium"
                            + " io.debezium:debezium-connector-postgres, to your dependencies",
                    e);
        }
    }

    @Override
    public void prepare() {}

    @Override
    public Command configure(int nodes) {
        try {
            Files.createDirectories(directory);
            Properties properties = new Properties();
            properties.putAll(settings);
            properties.put("listeners", url());
            try (Writer writer = Files.newBufferedWriter(directory.resolve(WorkerMain.PROPERTIES))) {
                properties.store(writer, "written at every start");
            }
            return JavaProgram.of(
                    WorkerMain.class,
                    List.of(
                            directory.toString(),
                            workspace.temporaryPath().map(Path::toString).orElse("")),
                    directory);
        } catch (IOException e) {
            throw new DevServicesException(
                    "Kafka Connect could not be launched in " + directory + ": " + e
                            + "; check that the directory is yours and that there is space",
                    e);
        }
    }

    @Override
    public Path log() {
        return directory.resolve("worker.log");
    }

    @Override
    public boolean isReady(ServerProcess run) {
        return run.isRunning() && api.isHealthy();
    }

    @Override
    public Optional<String> stop(ServerProcess run, StopMode mode) {
        if (mode == StopMode.AT_ONCE) {
            run.kill();
            return Optional.empty();
        }
        run.tell("stop");
        return run.awaitExit(STOP_LIMIT)
                ? Optional.empty()
                : Optional.of("it has not ended within " + STOP_LIMIT.toSeconds() + " s");
    }
}
