package dev.postrider.devservices;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of a {@link DevKafka}, broker and controller at once, in a JVM of its own. Seen from the owner's side;
 * {@link BrokerMain} is the other. Not thread-safe: {@link DevKafka} sees to that.
 */
final class KafkaBroker {

    private static final Logger log = LoggerFactory.getLogger(KafkaBroker.class);

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
    private final Path directory;
    private volatile Ports ports = new Ports(0, 0);
    private @Nullable ServerProcess process;

    /** Where clients and where the other controllers find this node. */
    record Ports(int client, int controller) {}

    KafkaBroker(int id, Path directory) {
        this.id = id;
        this.directory = directory;
    }

    int id() {
        return id;
    }

    Path directory() {
        return directory;
    }

    void use(Ports chosen) {
        ports = chosen;
    }

    Ports ports() {
        return ports;
    }

    boolean hasFreePorts() {
        return FreePorts.isFree(ports.client()) && FreePorts.isFree(ports.controller());
    }

    String address() {
        return "127.0.0.1:" + ports.client();
    }

    Path data() {
        return directory.resolve("data");
    }

    /** Starts the process; {@link #isServing()} says when it is of use. */
    void launch(Properties properties, BrokerMain.Orders orders) {
        try {
            Files.createDirectories(directory);
            Files.deleteIfExists(directory.resolve(BrokerMain.SERVING));
            try (Writer writer = Files.newBufferedWriter(directory.resolve(BrokerMain.PROPERTIES))) {
                properties.store(writer, "written at every start");
            }
            Path arguments = directory.resolve("jvm-arguments");
            Files.write(arguments, jvmArguments(orders));
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            Command command = new Command(List.of(java, "@" + arguments), directory);
            process = ServerProcess.launch("Kafka broker " + id, command, directory.resolve("broker.log"));
        } catch (IOException e) {
            throw new DevServicesException(
                    "Kafka broker " + id + " could not be launched in " + directory + ": " + e
                            + "; check that the directory is yours and that there is space",
                    e);
        }
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

    boolean isRunning() {
        return process != null && process.isRunning();
    }

    boolean isServing() {
        return isRunning() && Files.exists(directory.resolve(BrokerMain.SERVING));
    }

    long pid() {
        return running().pid();
    }

    String logTail() {
        return process == null ? "it was not launched" : process.logTail();
    }

    /** In an orderly way if that works in time. */
    void stop() {
        if (!isRunning()) {
            return;
        }
        ServerProcess stopping = running();
        stopping.tell("stop");
        if (!stopping.awaitExit(STOP_LIMIT)) {
            log.warn("Kafka broker {} did not stop within {} s and is killed", id, STOP_LIMIT.toSeconds());
            stopping.kill();
        }
    }

    void kill() {
        if (process != null) {
            process.kill();
        }
    }

    private ServerProcess running() {
        if (process == null || !process.isRunning()) {
            throw new IllegalStateException("Kafka broker " + id + " is not running: start(" + id + ") starts it");
        }
        return process;
    }
}
