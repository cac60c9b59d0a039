package dev.postrider.devservices;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka Connect worker in a JVM of its own, for connectors such as Debezium's. It is a distributed worker: its
 * configurations and offsets are in topics of the {@link DevKafka} that it belongs to, so that it goes on where it was after
 * a stop, a kill and a restart.
 *
 * <p>The worker has the class path of this JVM. The jars of Kafka Connect and of connectors do not come with this module:
 * add {@code org.apache.kafka:connect-runtime}, and for Debezium {@code io.debezium:debezium-connector-postgres}, to your
 * dependencies. What is installed in the worker is found there, too: connectors, converters and transforms that are
 * declared as services.
 *
 * <p>Nothing stays behind: the worker ends on {@link #close()}, when this JVM exits, and within seconds when this JVM is
 * killed.
 *
 * <p>All methods may be called from any thread. One that starts or stops something returns when that is done.
 */
public final class DevConnect implements AutoCloseable {

    private final ServerLife life;
    private final ConnectWorker worker;

    private DevConnect(ServerLife life, ConnectWorker worker) {
        this.life = life;
        this.worker = worker;
    }

    /** Starts a worker with the defaults beside this Kafka. */
    public static DevConnect start(DevKafka kafka) {
        return builder(kafka.bootstrapServers()).start();
    }

    /**
     * @param bootstrapServers of the Kafka that the worker belongs to
     */
    public static Builder builder(String bootstrapServers) {
        return new Builder(bootstrapServers);
    }

    /** Where the worker's REST interface is. The same for the whole life of this object. */
    public String url() {
        return worker.url();
    }

    /** The process id of the running worker. */
    public long pid() {
        return life.pid(worker);
    }

    public boolean isRunning() {
        return life.isRunning(worker);
    }

    /**
     * Creates a connector, and returns when it runs.
     *
     * @param json {@code {"name": …, "config": {…}}}
     * @param name the same name
     * @throws DevServicesException if the worker refuses it, or it fails
     */
    public void create(String name, String json) {
        worker.api().create(json);
        worker.api().awaitRunning(name);
    }

    /** Returns when a connector that was created or resumed, or whose worker was started again, runs. */
    public void awaitRunning(String name) {
        worker.api().awaitRunning(name);
    }

    /** Ends a connector's work until {@link #resume}. */
    public void stop(String name) {
        worker.api().stop(name);
    }

    /** Lets a stopped connector go on. */
    public void resume(String name) {
        worker.api().resume(name);
        worker.api().awaitRunning(name);
    }

    /** Ends a connector for good. */
    public void delete(String name) {
        worker.api().delete(name);
    }

    /** What made a connector fail; empty if nothing did. */
    public Optional<String> problem(String name) {
        return worker.api().problem(name);
    }

    /** Stops the worker cleanly. It keeps its port. */
    public void stop() {
        life.stop();
    }

    /** A crash: the worker's process is killed. It keeps its port. */
    public void kill() {
        life.kill();
    }

    /** Starts the worker again on the same port, after stopping it if it is running. Its connectors start by themselves. */
    public void restart() {
        life.restart();
    }

    /** Ends the worker and deletes its log, unless the user named the directory. */
    @Override
    public void close() {
        life.close();
    }

    /** Options of a {@link DevConnect}; everything has a default. */
    public static final class Builder {

        private static final String BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";

        private final Map<String, String> settings = new HashMap<>();
        private @Nullable Path directory;
        private WantedPort port = WantedPort.ANY;

        private Builder(String bootstrapServers) {
            String group = "postrider-connect-" + UUID.randomUUID().toString().substring(0, 8);
            settings.putAll(Map.of(
                    "bootstrap.servers", bootstrapServers,
                    "key.converter", BYTES,
                    "value.converter", BYTES,
                    "header.converter", BYTES,
                    "plugin.discovery", "service_load",
                    // A killed worker is missed soon, and what it did is taken over at once.
                    "session.timeout.ms", "10000",
                    "heartbeat.interval.ms", "2000",
                    "scheduled.rebalance.max.delay.ms", "0",
                    "offset.flush.interval.ms", "1000"));
            settings.putAll(Map.of(
                    "offset.storage.partitions", "1",
                    "status.storage.partitions", "1",
                    "task.shutdown.graceful.timeout.ms", "5000"));
            group(group);
            for (String topic : List.of("config", "offset", "status")) {
                // As many as there are brokers.
                settings.put(topic + ".storage.replication.factor", "-1");
            }
        }

        /**
         * The name of the worker's group, with which its topics' names begin. A worker with the name of an earlier one goes
         * on with its connectors. Default: a new one.
         */
        public Builder group(String name) {
            settings.put("group.id", name);
            settings.put("config.storage.topic", name + "-configs");
            settings.put("offset.storage.topic", name + "-offsets");
            settings.put("status.storage.topic", name + "-status");
            return this;
        }

        /**
         * Where the worker keeps its log. The directory is created if needed, and kept on close. Default: a temporary
         * directory, deleted on close.
         */
        public Builder directory(Path directory) {
            this.directory = directory;
            return this;
        }

        /** The port of the REST interface; the start fails if it is taken. Default: a free port. */
        public Builder port(int port) {
            this.port = WantedPort.exactly(port);
            return this;
        }

        /** This port if it is free, otherwise another one. */
        public Builder preferredPort(int port) {
            this.port = WantedPort.preferably(port);
            return this;
        }

        /** Any setting of the worker, except {@code listeners}. */
        public Builder setting(String name, String value) {
            if (name.equals("listeners")) {
                throw new IllegalArgumentException(
                        "the setting listeners cannot be chosen: the worker listens on the loopback interface; use port(int)");
            }
            settings.put(name, value);
            return this;
        }

        /**
         * @throws DevServicesException if it does not start, or the jars of Kafka Connect are not on the class path
         */
        public DevConnect start() {
            Workspace workspace = Workspace.open("connect", directory);
            ConnectWorker worker = new ConnectWorker(workspace, settings, port);
            ServerLife life = new ServerLife("Connect", workspace, List.of(worker), true);
            life.open();
            return new DevConnect(life, worker);
        }
    }
}
