package dev.postrider.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    private static @Nullable DevKafka shared;

    private final ServerLife life;
    private final List<KafkaBroker> brokers;

    /** Starts one broker with the defaults, in a temporary directory. */
    public static DevKafka start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The one cluster of this JVM, with one broker, started by the first call. It ends with the JVM; closing it does
     * nothing. A test that kills or stops it must start it again.
     */
    public static synchronized DevKafka shared() {
        if (shared == null) {
            shared = builder().start(false);
        }
        return shared;
    }

    private DevKafka(ServerLife life, List<KafkaBroker> brokers) {
        this.life = life;
        this.brokers = brokers;
    }

    /** The addresses of all brokers, running or not. */
    public String bootstrapServers() {
        return brokers.stream().map(KafkaBroker::address).collect(Collectors.joining(","));
    }

    /** The port of a broker, running or not. The same for the whole life of this object. */
    public int port(int broker) {
        return broker(broker).ports().client();
    }

    /** How many brokers the cluster has, running or not. */
    public int brokers() {
        return brokers.size();
    }

    /** The process id of a running broker. */
    public long pid(int broker) {
        return life.pid(broker(broker));
    }

    public boolean isRunning(int broker) {
        return life.isRunning(broker(broker));
    }

    /**
     * Stops all brokers, one after the other, cleanly where that is possible: the last of three is killed, since no
     * other broker is left to take over from it. Keeps data and ports.
     */
    public void stop() {
        life.stop();
    }

    /** Stops one broker cleanly. Keeps its data and ports. */
    public void stop(int broker) {
        life.stop(broker(broker));
    }

    /** A crash of all brokers. Keeps data and ports. */
    public void kill() {
        life.kill();
    }

    /** A crash of one broker: its process is killed. Keeps its data and ports. */
    public void kill(int broker) {
        life.kill(broker(broker));
    }

    /**
     * Starts one broker again after it was stopped or killed, on the same data and the same ports; does nothing if it is
     * running. Returns when the broker serves, or at once if there are too few brokers for a majority: the start of the
     * next one then waits for both.
     */
    public void start(int broker) {
        life.start(broker(broker));
    }

    /** Starts all brokers again on the same data and the same ports, after stopping those that are running. */
    public void restart() {
        life.restart();
    }

    /** Ends the brokers and deletes their data, unless the user named the data directory. */
    @Override
    public void close() {
        life.close();
    }

    private KafkaBroker broker(int id) {
        if (id < 1 || id > brokers.size()) {
            throw new IllegalArgumentException("there is no broker " + id + ": the brokers are 1 to " + brokers.size());
        }
        return brokers.get(id - 1);
    }

    /** Options of a {@link DevKafka}; everything has a default. */
    public static final class Builder {

        private final KafkaSettings settings = new KafkaSettings();
        private int brokers = 1;
        private @Nullable Path dataDirectory;
        private WantedPort port = WantedPort.ANY;

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

        /**
         * The port of the first broker; the others use the next numbers. The start fails if they are taken. Default:
         * free ports.
         */
        public Builder port(int port) {
            this.port = WantedPort.exactly(port);
            return this;
        }

        /** The same, but ports that are taken are replaced by free ones. */
        public Builder preferredPort(int port) {
            this.port = WantedPort.preferably(port);
            return this;
        }

        /** Any setting of a broker's {@code server.properties}, except ids and addresses of the brokers. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * Lets a single broker also listen on a second port that advertises the port of a proxy, which forwards to the
         * second port. Clients that bootstrap at the proxy keep using it; {@link #bootstrapServers} bypasses it.
         */
        public Builder behindProxy(int port, int proxyPort) {
            settings.secondListener(new KafkaSettings.SecondListener(port, proxyPort));
            return this;
        }

        public DevKafka start() {
            return start(true);
        }

        private DevKafka start(boolean closeable) {
            // Says so if there is no such number, before anything is opened.
            port.above(brokers - 1);
            Workspace workspace = Workspace.open("kafka", dataDirectory);
            List<KafkaBroker> nodes = KafkaBroker.cluster(brokers, workspace, new KafkaSettings(settings), port);
            ServerLife life = new ServerLife("Kafka", workspace, nodes, closeable);
            life.open();
            return new DevKafka(life, nodes);
        }
    }
}
