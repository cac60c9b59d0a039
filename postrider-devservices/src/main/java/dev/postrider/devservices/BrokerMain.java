package dev.postrider.devservices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * What runs in a broker's own JVM; {@link KafkaBroker} is its counterpart in the owner's.
 *
 * <ol>
 *   <li>Listens to its owner: the line {@code stop} on standard input asks for an orderly end; the end of standard input
 *       means that the owner is gone, and then the broker goes as well.
 *   <li>Waits until no other process holds its directory: a broker of a killed owner may be on its way out.
 *   <li>Formats the directory if it is new, and starts the server.
 *   <li>Asks itself, as any client would, who is in the cluster, and creates the file {@value #SERVING} when the answer
 *       is complete. The owner waits for that file.
 * </ol>
 */
final class BrokerMain {

    static final String PROPERTIES = "broker.properties";
    static final String SERVING = "serving";

    private static final Duration ORPHAN_LIMIT = Duration.ofSeconds(20);
    private static final Duration ORDERLY_END = Duration.ofSeconds(3);

    private final Path directory;
    private final Orders orders;
    private volatile @Nullable KafkaRaftServer server;
    // Held in a field until the end: a forgotten channel is closed by the garbage collector, and gives up its lock.
    private @Nullable FileChannel lock;

    private BrokerMain(Orders orders) {
        this.directory = orders.directory();
        this.orders = orders;
    }

    /**
     * What the owner wants.
     *
     * @param brokers how many brokers have to be in the cluster before this one counts as serving
     * @param temporary the directory to delete if the owner dies; may be empty
     */
    record Orders(Path directory, String clusterId, int brokers, String temporary) {

        List<String> toArguments() {
            return List.of(directory.toString(), clusterId, Integer.toString(brokers), temporary);
        }

        static Orders from(String[] arguments) {
            return new Orders(Path.of(arguments[0]), arguments[1], Integer.parseInt(arguments[2]), arguments[3]);
        }
    }

    public static void main(String[] arguments) {
        try {
            new BrokerMain(Orders.from(arguments)).run();
        } catch (Throwable e) {
            e.printStackTrace();
            // Not exit: threads of a half-started server could keep it from happening.
            Runtime.getRuntime().halt(1);
        }
    }

    private void run() throws Exception {
        Thread listener = new Thread(this::obey, "owner");
        listener.setDaemon(true);
        listener.start();
        lock = lock();
        Path file = directory.resolve(PROPERTIES);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        format(Path.of(properties.getProperty("log.dirs")), file);
        KafkaRaftServer starting = new KafkaRaftServer(KafkaConfig.fromProps(properties, false), Time.SYSTEM);
        server = starting;
        // For SIGTERM, and for Ctrl-C on machines where we share the terminal with our owner.
        Runtime.getRuntime().addShutdownHook(new Thread(this::shutDown, "signal"));
        starting.startup();
        awaitCluster(properties.getProperty("advertised.listeners"));
        Files.createFile(directory.resolve(SERVING));
        starting.awaitShutdown();
        // Whoever asked for the end also ends the JVM, after everything else is done.
        new CountDownLatch(1).await();
    }

    private FileChannel lock() throws IOException, InterruptedException {
        FileChannel channel = FileChannel.open(
                directory.resolve(".broker-lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        long deadline = System.nanoTime() + ORPHAN_LIMIT.toNanos();
        while (channel.tryLock() == null) {
            if (System.nanoTime() > deadline) {
                throw new IOException(
                        "another broker works on " + directory + ": stop it, or choose another directory");
            }
            Thread.sleep(50);
        }
        return channel;
    }

    private void format(Path data, Path configuration) throws IOException {
        if (Files.exists(data.resolve("meta.properties"))) {
            return;
        }
        String[] command = {
            "format", "--ignore-formatted", "--cluster-id", orders.clusterId(), "--config", configuration.toString()
        };
        int exitCode = StorageTool.execute(command, System.out);
        if (exitCode != 0) {
            throw new IOException("formatting " + data + " failed with exit code " + exitCode);
        }
    }

    /**
     * A started server is known to the controller, but the brokers need not yet know of each other: a client that asks
     * one of them right now would miss the others.
     */
    private void awaitCluster(String listener) throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                listener.replaceFirst(",.*", "").replaceFirst(".*://", ""));
        try (Admin admin = Admin.create(settings)) {
            while (admin.describeCluster().nodes().get().size() < orders.brokers()) {
                Thread.sleep(20);
            }
        }
    }

    private void obey() {
        @Nullable String order;
        try {
            order = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        } catch (IOException e) {
            order = null;
        }
        if (order != null) {
            shutDown();
        } else if (orders.temporary().isEmpty()) {
            shutDownWithin(ORDERLY_END);
        } else {
            vanish(Path.of(orders.temporary()));
        }
        Runtime.getRuntime().halt(0);
    }

    private void shutDown() {
        KafkaRaftServer running = server;
        if (running != null) {
            running.shutdown();
            running.awaitShutdown();
        }
    }

    /** Brokers that stop at the same time can wait for each other for minutes. */
    private void shutDownWithin(Duration limit) {
        Thread stopping = new Thread(this::shutDown, "orderly-end");
        stopping.setDaemon(true);
        stopping.start();
        try {
            stopping.join(limit.toMillis());
        } catch (InterruptedException e) {
            // Nobody interrupts this thread; if somebody does, the time is up.
        }
    }

    private static void vanish(Path temporary) {
        // The server takes what follows for a broken disk and would halt the JVM before we are done.
        Exit.setHaltProcedure((code, message) -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        for (int attempt = 0; attempt < 3 && Files.exists(temporary); attempt++) {
            try {
                Workspace.delete(temporary);
            } catch (IOException e) {
                // A file appeared while its directory was being deleted: once more.
            }
        }
    }
}
