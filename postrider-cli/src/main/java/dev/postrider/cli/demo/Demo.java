package dev.postrider.cli.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.CommitNotifier;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.command.Database;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevServicesException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * One run: servers up → tables, accounts, topic → relays and consumer up → transfers, with chaos if
 * wanted → wait until everything has arrived → relays down, consumer reads to the end → report. What is
 * up goes down again whatever happens.
 */
final class Demo {
    private static final int PARTITIONS = 12;
    private static final int WARM_UP_RATE = 1_000;

    /** After this time without any arrival, what is missing is lost. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final DemoOptions options;
    private final Progress progress;
    private final DeliveryProof proof = new DeliveryProof();

    Demo(DemoOptions options, Progress progress) {
        this.options = options;
        this.progress = progress;
    }

    DemoReport run() throws SQLException, InterruptedException, ExecutionException {
        progress.tell("starting " + options.database().title() + " and Kafka");
        try (DemoServers services = DemoServers.start(options.database())) {
            String url = services.url();
            String user = services.user();
            String password = services.password();
            String servers = services.kafka().bootstrapServers();
            Map<String, String> environment = Map.of(
                    "POSTRIDER_DB_URL", url,
                    "POSTRIDER_DB_USER", user,
                    "POSTRIDER_DB_PASSWORD", password,
                    "POSTRIDER_KAFKA", servers,
                    // Half a minute, the default, is a long time for an audience.
                    "POSTRIDER_RELAY_CIRCUIT_OPEN_FOR", "2s");
            createTopic(servers);
            try (HikariDataSource pool =
                            new Database(url, user, password).pool("postrider-demo", Transfers.THREADS + 2);
                    Deliverers deliverers = deliverers(services.kafka(), environment)) {
                OutboxSchema.migrate(pool, OutboxTable.DEFAULT, options.layout());
                openBank(pool);
                progress.tell("outbox: " + options.layout().describe());
                progress.tell(
                        options.viaDebezium()
                                ? "starting Debezium on a Kafka Connect worker, a process of its own"
                                : "starting relays, each a process of its own: " + options.instances());
                deliverers.start(pool);
                return deliver(pool, deliverers, services.kafka());
            }
        } catch (DevServicesException e) {
            throw new PostriderException(String.valueOf(e.getMessage()), e);
        }
    }

    private Deliverers deliverers(DevKafka kafka, Map<String, String> environment) {
        return options.viaDebezium()
                ? new DebeziumWorker(kafka, environment)
                : new RelayFleet(options.instances(), environment, this::relayLogged);
    }

    private DemoReport deliver(DataSource dataSource, Deliverers deliverers, DevKafka kafka)
            throws SQLException, InterruptedException, ExecutionException {
        Chaos chaos = new Chaos(deliverers, kafka, proof, options.events(), progress::tell);
        try (EventConsumer consumer = new EventConsumer(kafka.bootstrapServers(), partitions(), isolation(), proof)) {
            consumer.start();
            long measuredSince = transfer(dataSource, deliverers, consumer, chaos);
            deliverers.stop();
            consumer.readToEnd();
            progress.endLine();
            return DemoReport.of(
                    options, proof.verdict(), proof.timingSince(measuredSince), isBalanced(dataSource), chaos.toll());
        }
    }

    /** What an aborted transaction left behind was not delivered, and only such a consumer knows. */
    private IsolationLevel isolation() {
        return options.exactlyOnce() ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
    }

    private void relayLogged(String line) {
        if (options.verbose()) {
            progress.tell(line);
        }
    }

    private static void createTopic(String servers) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
            admin.createTopics(List.of(new NewTopic(Transfers.TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
    }

    private static List<TopicPartition> partitions() {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(Transfers.TOPIC, number))
                .toList();
    }

    private static void openBank(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Bank.open(connection);
        }
    }

    private static boolean isBalanced(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Bank.isBalanced(connection);
        }
    }

    /** Returns when everything written has arrived, or it is clear that it will not; says since when to measure. */
    private long transfer(DataSource dataSource, Deliverers deliverers, EventConsumer consumer, Chaos chaos)
            throws InterruptedException, ExecutionException {
        ExecutorService breaking = Executors.newSingleThreadExecutor();
        try (CommitNotifier notifier = CommitNotifier.start(dataSource, OutboxTable.DEFAULT);
                Transfers transfers = new Transfers(dataSource, notifier, proof)) {
            int warmUp = options.warmUpEvents();
            if (warmUp > 0) {
                progress.tell("warming up with " + warmUp + " events");
                awaitArrival(transfers.begin(warmUp, WARM_UP_RATE), deliverers, consumer);
            }
            progress.tell("moving money between " + Bank.ACCOUNTS + " accounts until " + options.events()
                    + " events are written");
            long measuredSince = System.nanoTime();
            List<Future<?>> tasks = transfers.begin(options.events() - warmUp, options.rate());
            if (options.chaos()) {
                tasks.add(breaking.submit(() -> {
                    chaos.run();
                    return null;
                }));
            }
            awaitArrival(tasks, deliverers, consumer);
            return measuredSince;
        } finally {
            breaking.shutdownNow();
        }
    }

    private void awaitArrival(List<Future<?>> tasks, Deliverers deliverers, EventConsumer consumer)
            throws InterruptedException, ExecutionException {
        long deliveries = -1;
        long changedAt = 0;
        while (true) {
            List<Future<?>> done = tasks.stream().filter(Future::isDone).toList();
            for (Future<?> task : done) {
                task.get();
            }
            deliverers.check();
            consumer.check();
            boolean working = done.size() < tasks.size();
            if (!working && proof.missing() == 0) {
                return;
            }
            if (working || deliveries != proof.deliveries()) {
                deliveries = proof.deliveries();
                changedAt = System.nanoTime();
            } else if (System.nanoTime() - changedAt > SILENCE.toNanos()) {
                progress.tell("nothing has arrived for " + SILENCE.toSeconds() + " s: giving up");
                return;
            }
            progress.show(proof);
            Thread.sleep(20);
        }
    }
}
