package dev.postrider.devservices;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Kafka cluster of one or three brokers, each in a JVM of its own. Brokers are numbered from 1, and every broker
 * is a controller as well.
 *
 * <p>The cluster listens on the loopback interface only. Single brokers or all of them can be stopped, killed and
 * started again on the same data and the same ports.
 *
 * <p>Nothing stays behind: the brokers end on {@link #close()}, when this JVM exits, and within seconds when this JVM is
 * killed. A data directory that was not named by the user is deleted then.
 *
 * <p>All methods may be called from any thread. One that starts or stops something returns when that is done.
 */
public final class DevKafka implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DevKafka.class);

    private static final int PORT_ATTEMPTS = 5;
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static @Nullable DevKafka shared;

    private final Workspace workspace;
    private final KafkaSettings settings;
    private final List<KafkaBroker> brokers;
    private final boolean closeable;
    private final Thread exitHook = new Thread(this::closeAtExit, "postrider-devkafka-exit");

    private @Nullable KafkaCluster cluster;
    private boolean closed;
    private volatile boolean exiting;

    /** Starts one broker with the defaults, in a temporary directory. */
    public static DevKafka start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one cluster of this JVM, with one broker, started by the first call. It ends with the JVM; closing it does
     * nothing. Who kills or stops it starts it again.
     */
    public static synchronized DevKafka shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    private DevKafka(Workspace workspace, KafkaSettings settings, List<KafkaBroker> brokers, boolean closeable) {
        this.workspace = workspace;
        this.settings = settings;
        this.brokers = brokers;
        this.closeable = closeable;
    }

    private synchronized void open() {
        long start = System.nanoTime();
        try {
            Runtime.getRuntime().addShutdownHook(exitHook);
            cluster = KafkaCluster.in(workspace, brokers.size());
            launchOnFreePorts();
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

    private void launchOnFreePorts() {
        for (int attempt = 1; ; attempt++) {
            List<Integer> ports = FreePorts.choose(2 * brokers.size());
            for (int i = 0; i < brokers.size(); i++) {
                brokers.get(i).use(new KafkaBroker.Ports(ports.get(2 * i), ports.get(2 * i + 1)));
            }
            try {
                launch(brokers);
                return;
            } catch (DevServicesException e) {
                brokers.forEach(KafkaBroker::kill);
                // Taken by somebody between choosing and binding?
                if (brokers.stream().allMatch(KafkaBroker::hasFreePorts) || attempt == PORT_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void launch(List<KafkaBroker> stopped) {
        List<KafkaBroker> expected = new ArrayList<>(running());
        expected.addAll(stopped);
        for (KafkaBroker broker : stopped) {
            broker.launch(
                    settings.of(broker, brokers),
                    new BrokerMain.Orders(
                            broker.directory(),
                            cluster().id(),
                            expected.size(),
                            workspace.temporaryPath().map(Path::toString).orElse("")));
        }
        // Below a majority of controllers nothing can be served, and waiting for it would be waiting for our caller.
        if (isMajority(expected.size())) {
            awaitServing(expected);
        }
    }

    private boolean isMajority(int count) {
        return 2 * count > brokers.size();
    }

    private void awaitServing(List<KafkaBroker> expected) {
        boolean decided = Waiting.until(
                START_LIMIT,
                () -> exiting
                        || expected.stream().anyMatch(broker -> !broker.isRunning())
                        || expected.stream().allMatch(KafkaBroker::isServing));
        if (exiting) {
            throw new DevServicesException("Kafka was not started, because the JVM is exiting");
        }
        for (KafkaBroker broker : expected) {
            if (!broker.isServing()) {
                throw new DevServicesException("Kafka broker " + broker.id() + " did not start on " + broker.address()
                        + ": it " + (decided ? "ended" : "does not serve after " + START_LIMIT.toSeconds() + " s")
                        + "; " + broker.logTail());
            }
        }
    }

    /** The addresses of all brokers, running or not. */
    public String bootstrapServers() {
        return brokers.stream().map(KafkaBroker::address).collect(Collectors.joining(","));
    }

    /** How many brokers the cluster has, running or not. */
    public int brokers() {
        return brokers.size();
    }

    /** The process id of a running broker. */
    public synchronized long pid(int broker) {
        return broker(broker).pid();
    }

    public synchronized boolean isRunning(int broker) {
        return broker(broker).isRunning();
    }

    /**
     * Stops all brokers, one after the other, in an orderly way as far as there is one: the last of three is killed, since
     * nobody is left to take over from it. Keeps data and ports.
     */
    public synchronized void stop() {
        for (KafkaBroker broker : running()) {
            stop(broker.id());
        }
    }

    /** Stops one broker in an orderly way. Keeps its data and ports. */
    public synchronized void stop(int broker) {
        if (broker(broker).isRunning()) {
            endOrderly(broker(broker));
            log.info("Kafka broker {} on {} stopped", broker, broker(broker).address());
        }
    }

    private void endOrderly(KafkaBroker broker) {
        if (isMajority(running().size())) {
            broker.stop();
        } else {
            // An orderly end means to hand over with the consent of a controller. Without a majority there is none, and
            // the broker would ask for minutes. Nothing is lost: the operating system has what the broker wrote.
            broker.kill();
        }
    }

    /** A crash of all brokers. Keeps data and ports. */
    public synchronized void kill() {
        for (KafkaBroker broker : running()) {
            kill(broker.id());
        }
    }

    /** A crash of one broker: its process is killed. Keeps its data and ports. */
    public synchronized void kill(int broker) {
        if (broker(broker).isRunning()) {
            broker(broker).kill();
            log.info("Kafka broker {} on {} killed", broker, broker(broker).address());
        }
    }

    /**
     * Starts one broker again after it was stopped or killed, on the same data and the same ports; does nothing if it is
     * running. Returns when the broker serves, or at once if there are too few brokers for a majority: the start of the
     * next one then waits for both.
     */
    public synchronized void start(int broker) {
        refuseIfClosed();
        if (!broker(broker).isRunning()) {
            long start = System.nanoTime();
            launch(List.of(broker(broker)));
            log.info(
                    "Kafka broker {} on {} started in {} ms (pid {})",
                    broker,
                    broker(broker).address(),
                    millisSince(start),
                    pid(broker));
        }
    }

    /** Starts all brokers again on the same data and the same ports, after stopping those that are running. */
    public synchronized void restart() {
        refuseIfClosed();
        stop();
        long start = System.nanoTime();
        launch(brokers);
        logStart(start);
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("this DevKafka is closed: start a new one");
        }
    }

    private void logStart(long start) {
        String pids =
                brokers.stream().map(broker -> Long.toString(broker.pid())).collect(Collectors.joining(", "));
        log.info(
                "Kafka on {} started in {} ms (pid {}, {})",
                bootstrapServers(),
                millisSince(start),
                pids,
                workspace.path());
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Ends the brokers and deletes their data, unless the user named the data directory. */
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
        try {
            boolean ending = !running().isEmpty();
            if (workspace.isTemporary()) {
                // An orderly end takes seconds and is good for nothing but the data.
                brokers.forEach(KafkaBroker::kill);
            } else {
                running().forEach(this::endOrderly);
            }
            if (ending) {
                log.info("Kafka on {} ended", bootstrapServers());
            }
        } finally {
            workspace.close();
            try {
                Runtime.getRuntime().removeShutdownHook(exitHook);
            } catch (IllegalStateException e) {
                // The JVM is exiting: the hook is running or about to, and finds nothing left to do.
            }
        }
    }

    private List<KafkaBroker> running() {
        return brokers.stream().filter(KafkaBroker::isRunning).toList();
    }

    private KafkaBroker broker(int id) {
        if (id < 1 || id > brokers.size()) {
            throw new IllegalArgumentException("there is no broker " + id + ": the brokers are 1 to " + brokers.size());
        }
        return brokers.get(id - 1);
    }

    private KafkaCluster cluster() {
        if (cluster == null) {
            throw new IllegalStateException("Kafka has not been started");
        }
        return cluster;
    }

    /** What can be chosen about a {@link DevKafka}; everything has a default. */
    public static final class Builder {

        private final KafkaSettings settings = new KafkaSettings();
        private int brokers = 1;
        private @Nullable Path dataDirectory;

        private Builder() {}

        /** One, or three for replication and failover. Default: 1. */
        public Builder brokers(int brokers) {
            if (brokers != 1 && brokers != 3) {
                throw new IllegalArgumentException(
                        "brokers(" + brokers + ") is not possible: use 1, or 3 for replication."
                                + " With 2, the loss of either would stop both");
            }
            this.brokers = brokers;
            return this;
        }

        /**
         * Where the brokers keep their data and their logs. The directory is created if needed, kept on close and can be
         * used again. Default: a temporary directory, deleted on close.
         */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /** Any setting of a broker's {@code server.properties}, except those that decide who and where the brokers are. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * Lets a single broker listen at a second port as well, whose clients are sent to another one: that of a proxy, which
         * forwards to the second port. Those who bootstrap at the proxy stay behind it; {@link #bootstrapServers} leads past
         * it.
         */
        public Builder behindProxy(int port, int proxyPort) {
            settings.secondListener(new KafkaSettings.SecondListener(port, proxyPort));
            return this;
        }

        public DevKafka start() {
            return start(true);
        }

        private DevKafka start(boolean closeable) {
            Workspace workspace = Workspace.open("kafka", dataDirectory);
            List<KafkaBroker> nodes = new ArrayList<>();
            for (int id = 1; id <= brokers; id++) {
                nodes.add(new KafkaBroker(id, workspace.path().resolve("broker-" + id)));
            }
            DevKafka kafka = new DevKafka(workspace, new KafkaSettings(settings), List.copyOf(nodes), closeable);
            kafka.open();
            return kafka;
        }
    }
}
