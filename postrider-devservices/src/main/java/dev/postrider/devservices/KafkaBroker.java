package dev.postrider.devservices;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One node of a {@link DevKafka}, broker and controller at once, in a JVM of its own. Seen from the owner's side;
 * {@link BrokerMain} is the other.
 */
final class KafkaBroker implements ServerNode {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);
    private static final List<String> JVM_OPTIONS = List.of(
            "-Xmx512m",
            // Quicker to start than the parallel collectors, and enough for half a gigabyte.
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Djava.awt.headless=true",
            "-Dslf4j.provider=" + BrokerLogging.class.getName(),
            "-Dslf4j.internal.verbosity=WARN",
            // Kafka looks at Log4j when it starts, which would then open the application's log files.
            "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory");

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
            Path arguments = directory.resolve("jvm-arguments");
            Files.write(
                    arguments,
                    jvmArguments(new BrokerMain.Orders(
                            directory,
                            cluster().id(),
                            nodes,
                            workspace.temporaryPath().map(Path::toString).orElse(""))));
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            return new Command(List.of(java, "@" + arguments), directory);
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

    /** Goes by a file, because a class path can be longer than a command line. */
    private List<String> jvmArguments(BrokerMain.Orders orders) {
        List<String> arguments = new ArrayList<>(JVM_OPTIONS);
        arguments.add("-XX:ErrorFile=" + directory.resolve("jvm-crash.log"));
        arguments.add("-cp");
        arguments.add(classPath());
        arguments.add(BrokerMain.class.getName());
        arguments.addAll(orders.toArguments());
        return arguments.stream().map(KafkaBroker::quoted).toList();
    }

    private static String classPath() {
        // The broker has another working directory.
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String quoted(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
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
