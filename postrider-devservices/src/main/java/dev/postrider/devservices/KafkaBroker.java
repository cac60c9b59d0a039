package dev.postrider.devservices;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One node of a {@link DevKafka}, broker and controller at once, in a JVM of its own. Seen from the owner's side;
 * {@link BrokerMain} is the other.
 */
final class KafkaBroker implements ServerNode {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);
    private final int id;
    private final Workspace workspace;
    private final Path directory;
    private final KafkaSettings settings;
    private final WantedPort wantedPort;
    private List<KafkaBroker> all = List.of();
    private @Nullable KafkaCluster cluster;
    private volatile Ports ports = new Ports(0, 0);

    /** Where clients and where the other controllers find this node. */
    record Ports(int client, int controller) {}

    /**
     * @param count how many make the cluster
     * @param wantedPort the first one's; the others want the numbers above
     */
    static List<KafkaBroker> cluster(int count, Workspace workspace, KafkaSettings settings, WantedPort wantedPort) {
        List<KafkaBroker> brokers = IntStream.rangeClosed(1, count)
                .mapToObj(id -> new KafkaBroker(id, workspace, settings, wantedPort.above(id - 1)))
                .toList();
        brokers.forEach(broker -> broker.all = brokers);
        return brokers;
    }

    private KafkaBroker(int id, Workspace workspace, KafkaSettings settings, WantedPort wantedPort) {
        this.id = id;
        this.workspace = workspace;
        this.directory = workspace.path().resolve("broker-" + id);
        this.settings = settings;
        this.wantedPort = wantedPort;
    }

    int id() {
        return id;
    }

    @Override
    public String name() {
        return "Kafka broker " + id;
    }

    @Override
    public String address() {
        return "127.0.0.1:" + ports.client();
    }

    @Override
    public List<WantedPort> wantedPorts() {
        return List.of(wantedPort, WantedPort.ANY);
    }

    @Override
    public void use(List<Integer> chosen) {
        ports = new Ports(chosen.get(0), chosen.get(1));
    }

    Ports ports() {
        return ports;
    }

    Path data() {
        return directory.resolve("data");
    }

    /** The broker itself waits for one that works on its directory, and formats that. */
    @Override
    public void prepare() {
        cluster = KafkaCluster.in(workspace, all.size());
    }

    @Override
    public Command configure(int nodes) {
        try {
            Files.createDirectories(directory);
            Files.deleteIfExists(directory.resolve(BrokerMain.SERVING));
            try (Writer writer = Files.newBufferedWriter(directory.resolve(BrokerMain.PROPERTIES))) {
                settings.of(this, all).store(writer, "written at every start");
            }
            BrokerMain.Orders orders = new BrokerMain.Orders(
                    directory,
                    cluster().id(),
                    nodes,
                    workspace.temporaryPath().map(Path::toString).orElse(""));
            return JavaProgram.of(BrokerMain.class, orders.toArguments(), directory);
        } catch (IOException e) {
            throw new DevServicesException(
                    "Kafka broker " + id + " could not be launched in " + directory + ": " + e
                            + "; check that the directory is yours and that there is space",
                    e);
        }
    }

    private KafkaCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("Kafka has not been prepared");
        }
        return cluster;
    }

    @Override
    public Path log() {
        return directory.resolve("broker.log");
    }

    @Override
    public boolean isReady(ServerProcess run) {
        return run.isRunning() && Files.exists(directory.resolve(BrokerMain.SERVING));
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
