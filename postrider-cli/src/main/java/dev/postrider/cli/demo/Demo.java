package dev.postrider.cli.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.CommitNotifier;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.demo.DemoReport.Broken;
import dev.postrider.cli.demo.DemoReport.Drain;
import dev.postrider.cli.demo.DemoReport.Latency;
import dev.postrider.cli.demo.DemoReport.Paced;
import dev.postrider.cli.demo.Participants.State;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevServicesException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * One run: servers up → tables, accounts, topic → relays and consumer up → phases: warm up, measure latency,
 * break things if wanted, measure throughput → relays down, consumer reads to the end → report. What is up goes
 * down again whatever happens.
 */
final class Demo {
    private static final int PARTITIONS = 12;
    private static final Duration WARM_UP = Duration.ofSeconds(10);

    /** After this time without any arrival, what is missing is lost. */
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final DemoOptions options;
    private final Progress progress;
    private final Participants participants;
    private final DeliveryProof proof = new DeliveryProof();

    Demo(DemoOptions options, Progress progress, Participants participants) {
        this.options = options;
        this.progress = progress;
        this.participants = participants;
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
                participants.is(options.database().title(), State.UP);
                participants.is(Chaos.KAFKA, State.UP);
                for (String name : deliverers.names()) {
                    participants.is(name, State.UP);
                }
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
        try (EventConsumer consumer = new EventConsumer(kafka.bootstrapServers(), partitions(), isolation(), proof);
                CommitNotifier notifier = CommitNotifier.start(dataSource, OutboxTable.DEFAULT);
                Transfers transfers = new Transfers(dataSource, notifier, proof)) {
            consumer.start();
            Scene scene = new Scene(dataSource, deliverers, kafka, consumer, transfers);
            warmUp(scene);
            Paced paced = paced(scene);
            Broken broken = options.chaos() ? broken(scene) : null;
            Drain drain = options.backlog() > 0 ? drain(scene) : null;
            deliverers.stop();
            consumer.readToEnd();
            progress.end();
            return new DemoReport(options, proof.verdict(), isBalanced(dataSource), paced, broken, drain);
        }
    }

    private record Scene(
            DataSource dataSource,
            Deliverers deliverers,
            DevKafka kafka,
            EventConsumer consumer,
            Transfers transfers) {}

    /** By time, not by number: compilers need seconds, and whoever has just started is slow. */
    private void warmUp(Scene scene) throws InterruptedException, ExecutionException {
        progress.phase("warming up, as fast as the writers can", 0);
        List<Future<?>> tasks = scene.transfers().begin(0);
        long end = System.nanoTime() + WARM_UP.toNanos();
        awaitArrival(scene, tasks, () -> System.nanoTime() - end >= 0);
    }

    private Paced paced(Scene scene) throws InterruptedException, ExecutionException {
        progress.phase(
                "latency: " + options.rate() + " events/s for " + options.seconds() + " s",
                (long) options.rate() * options.seconds());
        long begin = System.nanoTime();
        ProcessorUse.begin();
        List<Future<?>> tasks = scene.transfers().begin(options.rate());
        long end = begin + Duration.ofSeconds(options.seconds()).toNanos();
        awaitArrival(scene, tasks, () -> System.nanoTime() - end >= 0);
        ProcessorUse use = ProcessorUse.of();
        return new Paced(Latency.of(proof.timingBetween(begin, end).commitToDelivery()), use);
    }

    private Broken broken(Scene scene) throws InterruptedException, ExecutionException {
        progress.phase(
                "chaos: " + options.rate() + " events/s while things break", (long) options.rate() * Chaos.SECONDS);
        Chaos chaos = new Chaos(scene.deliverers(), scene.kafka(), proof, participants, options.rate(), progress::tell);
        ExecutorService breaking = Executors.newSingleThreadExecutor();
        try {
            long begin = System.nanoTime();
            List<Future<?>> tasks = scene.transfers().begin(options.rate());
            Future<?> faults = breaking.submit(() -> {
                chaos.run();
                return null;
            });
            tasks.add(faults);
            awaitArrival(scene, tasks, faults::isDone);
            long end = System.nanoTime();
            return Broken.of(chaos.faults(), proof, begin, end);
        } finally {
            breaking.shutdownNow();
        }
    }

    /** Relays are alive all the time, and begin as soon as the outbox is not paused any more. */
    private Drain drain(Scene scene) throws InterruptedException, ExecutionException {
        OutboxAdmin admin = OutboxAdmin.builder(scene.dataSource()).build();
        admin.pause("postrider demo", "a backlog is written");
        progress.phase(
                String.format(
                        Locale.ROOT, "throughput: a backlog of %,d events is written and drained", options.backlog()),
                options.backlog());
        List<Future<?>> tasks = scene.transfers().announce(options.backlog());
        await(scene, tasks, () -> tasks.stream().allMatch(Future::isDone));
        long resumed = System.nanoTime();
        progress.tell("the backlog is written; delivery goes on");
        ProcessorUse.begin();
        admin.resume("postrider demo");
        awaitArrival(scene, List.of(), () -> true);
        ProcessorUse use = ProcessorUse.of();
        return Drain.of(proof.arrivalsSince(resumed), use);
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

    /** Returns when the phase is over and everything written has arrived, or it is clear that it will not. */
    private void awaitArrival(Scene scene, List<Future<?>> tasks, BooleanSupplier over)
            throws InterruptedException, ExecutionException {
        await(scene, tasks, over);
        scene.transfers().end();
        await(scene, tasks, () -> tasks.stream().allMatch(Future::isDone));
        long deliveries = -1;
        long changedAt = System.nanoTime();
        while (proof.missing() > 0) {
            if (deliveries != proof.deliveries()) {
                deliveries = proof.deliveries();
                changedAt = System.nanoTime();
            } else if (System.nanoTime() - changedAt > SILENCE.toNanos()) {
                progress.tell("nothing has arrived for " + SILENCE.toSeconds() + " s: giving up");
                return;
            }
            moment(scene, tasks);
        }
    }

    private void await(Scene scene, List<Future<?>> tasks, BooleanSupplier over)
            throws InterruptedException, ExecutionException {
        while (!over.getAsBoolean()) {
            moment(scene, tasks);
        }
    }

    /** Fails if something of the demonstration itself has failed. */
    private void moment(Scene scene, List<Future<?>> tasks) throws InterruptedException, ExecutionException {
        for (Future<?> task : tasks) {
            if (task.isDone()) {
                task.get();
            }
        }
        scene.deliverers().check();
        scene.consumer().check();
        progress.show(proof);
        Thread.sleep(20);
    }
}
