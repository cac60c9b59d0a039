package dev.postrider.examples.logistics.demo;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.Demo;
import dev.postrider.examples.ServiceProcess;
import dev.postrider.examples.Stage;
import dev.postrider.examples.Table;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** Plain SQL writes orders, two workers send them; one is killed, an event is poison, and everything arrives twice. */
public final class LogisticsDemo {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SMALL_MESSAGES = 100_000;
    private static final int LARGE_MESSAGES = 1_000_000;
    private static final List<String> METRICS = List.of(
            "outbox_pending_count",
            "outbox_oldest_age_seconds",
            "outbox_process_latency_seconds_bucket",
            "outbox_failure_count_total");

    private final Stage stage;
    private final DevKafka kafka;
    private final Topic topic;
    private final Books books;
    private final Pager pager;
    private final Postrider postrider;
    private final OrderDesk desk;
    private final ServiceProcess tracking;
    private final AtomicInteger skipped = new AtomicInteger();
    private final int firstPort;
    private final int secondPort;
    private final ServiceProcess first;
    private final ServiceProcess second;

    public static void main(String[] args) {
        Demo.run(
                "Logistics: an order service that knows plain SQL, and relays as processes of their own",
                stage -> new LogisticsDemo(stage).play());
    }

    private LogisticsDemo(Stage stage) throws Exception {
        this.stage = stage;
        DevPostgres postgres = stage.postgres();
        kafka = stage.kafka();
        topic = new Topic(kafka, "order-events");
        topic.create(SMALL_MESSAGES);
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(postgres.jdbcUrl());
        database.setUser(postgres.user());
        database.setPassword(postgres.password());
        books = new Books(database);
        pager = stage.own(new Pager());
        postrider = new Postrider(stage, postgres, kafka.bootstrapServers(), pager.url());
        stage.tell("Making the tables: postrider migrate, and scripts …");
        Path scripts = stage.examples().resolve("logistics/database");
        books.run(scripts.resolve("orders.sql"));
        postrider.run("migrate", "--mode", "claim");
        books.run(scripts.resolve("outbox_in_our_words.sql"));
        books.run(scripts.resolve("parcels.sql"));
        desk = desk(postgres, database);
        tracking = stage.service("logistics/tracking", "dev.postrider.examples.logistics.tracking.Tracking")
                .withVariable("TRACKING_DB_URL", postgres.jdbcUrl())
                .withVariable("TRACKING_DB_USER", postgres.user())
                .withVariable("TRACKING_DB_PASSWORD", postgres.password())
                .withVariable("TRACKING_KAFKA", kafka.bootstrapServers())
                .onLine(line -> {
                    if (line.contains("Already handled")) {
                        skipped.incrementAndGet();
                    }
                });
        firstPort = freePort();
        secondPort = freePort();
        first = postrider.relay("worker-1", "relay.yml", firstPort);
        second = postrider.relay("worker-2", "relay.yml", secondPort);
    }

    private OrderDesk desk(DevPostgres postgres, PGSimpleDataSource database) throws Exception {
        stage.tell("Looking for Node, and getting the driver of the order service: npm ci …");
        if (NodeDesk.isPossible(stage)) {
            stage.tell("The order service is a script in Node: node service.js");
            String url = "postgres://" + postgres.user() + ":" + postgres.password() + "@127.0.0.1:" + postgres.port()
                    + "/postgres";
            return new NodeDesk(stage, url, freePort()).start();
        }
        stage.tell("There is no Node here, or no npm that can get the driver: THE SAME SQL IS SENT BY JDBC INSTEAD.");
        return new JdbcDesk(database);
    }

    private void play() throws Exception {
        open();
        ordinaryDay();
        workerKilled();
        poison();
        everythingTwice();
        literalReading();
        close();
    }

    private void open() throws Exception {
        stage.tell("Starting two workers, postrider relay --config relay.yml, and tracking …");
        tracking.start();
        first.start();
        second.start();
        stage.await("the order service", PATIENCE, desk::isOpen);
        stage.await("the first worker", PATIENCE, () -> postrider.isReady(firstPort));
        stage.await("the second worker", PATIENCE, () -> postrider.isReady(secondPort));
        stage.screen().show(this::table);
    }

    private Table table() {
        Table table = new Table("events", "number");
        for (String status : List.of("PENDING", "PUBLISHED", "FAILED")) {
            table.row(status, books.events(status));
        }
        return table.row("  held by worker-1", books.heldBy("worker-1"))
                .row("  held by worker-2", books.heldBy("worker-2"))
                .row("handled by tracking", books.stepsTracked())
                .row("came again, skipped", skipped.get())
                .row("alerts", pager.alerts());
    }

    private void ordinaryDay() throws Exception {
        stage.tell("20 orders are placed, and packed.");
        for (UUID order : desk.place(20)) {
            desk.take(order, "packed");
        }
        awaitAll();
        List<String> missing = new ArrayList<>(METRICS);
        String metrics = postrider.metrics(firstPort) + postrider.metrics(secondPort);
        missing.removeIf(name -> metrics.contains("\n" + name + "{"));
        stage.claim(
                "a worker's metrics have the names that dashboards ask for",
                missing.isEmpty(),
                missing.isEmpty() ? String.join(", ", METRICS) : "missing: " + missing);
    }

    private void workerKilled() throws Exception {
        stage.tell("Kafka is frozen, and 60 orders are placed. The workers hold rows that nobody answers.");
        signalKafka("STOP");
        ServiceProcess victim;
        int held;
        try {
            desk.place(60);
            stage.await("rows in the hands of a worker", PATIENCE, () -> books.heldBy("worker-") > 0);
            victim = books.heldBy("worker-1") > 0 ? first : second;
            held = books.heldBy(victim.name());
            stage.tell(victim.name() + " is killed, holding " + held + " rows.");
            victim.kill();
            String dead = victim.name();
            stage.await("the other worker to take them over", PATIENCE, () -> books.heldBy(dead) == 0);
            stage.tell("Nobody helped, and it holds none any more. Kafka goes on.");
        } finally {
            signalKafka("CONT");
        }
        awaitAll();
        stage.claim("what a killed worker held was sent by the other one", held > 0, held + " rows");
        victim.start();
    }

    private void signalKafka(String signal) throws IOException, InterruptedException {
        String pid = Long.toString(kafka.pid(1));
        int status = new ProcessBuilder("kill", "-" + signal, pid).start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("kill -" + signal + " ended with " + status);
        }
    }

    private void poison() throws Exception {
        stage.tell("An order comes whose destination is larger than the topic allows.");
        UUID poison = desk.place(incompressible(250_000));
        stage.await(
                "the death of the poison event",
                PATIENCE,
                () -> books.statusOf(poison).equals("FAILED"));
        stage.tell("Its event is FAILED: " + books.errorOf(poison));
        stage.await("the alert", PATIENCE, () -> pager.hasDeath(books.rowOf(poison)));
        stage.claim("operations are told which event is dead", true, "row " + books.rowOf(poison));
        List<UUID> others = desk.place(5);
        stage.await("the orders after it", PATIENCE, () -> others.stream().allMatch(books::isTracked));
        stage.claim("it holds nothing back", books.events("FAILED") == 1, "");
        stage.tell("The operator lets the topic take larger messages, and puts it back: postrider dead retry");
        topic.allow(LARGE_MESSAGES);
        putBack(poison);
        awaitAll();
        stage.claim("put back by the operator, it arrived", books.isTracked(poison), "");
    }

    private void everythingTwice() throws Exception {
        int events = books.events();
        int before = skipped.get();
        stage.tell("Everything is sent once more: postrider replay");
        String now = Instant.now()
                .plus(1, ChronoUnit.HOURS)
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        postrider.run("replay", "--from", "2000-01-01T00:00:00Z", "--to", now, "--yes", "--as", Postrider.OPERATOR);
        stage.await("everything to arrive again", PATIENCE, () -> skipped.get() - before >= events);
        stage.claim(
                "a consumer that gets everything twice does nothing twice",
                books.stepsTracked() == events,
                events + " messages handled, " + skipped.get() + " skipped by their messageId");
    }

    private void literalReading() throws Exception {
        stage.tell("The workers stop; one starts with relay-literal.yml: now an outage counts.");
        first.stop();
        second.stop();
        int port = freePort();
        postrider.relay("literal", "relay-literal.yml", port).start();
        stage.await("the worker", PATIENCE, () -> postrider.isReady(port));
        awaitAllPuttingBack(desk.place(1).get(0));
        stage.tell("Kafka is killed, and an order comes. Its event is tried again after 1, 2, 4, 8 and 16 s.");
        kafka.kill();
        UUID unlucky = desk.place(1).get(0);
        stage.await(
                "the death of the unlucky event",
                PATIENCE,
                () -> books.statusOf(unlucky).equals("FAILED"));
        stage.await("the alert", PATIENCE, () -> pager.hasDeath(books.rowOf(unlucky)));
        stage.claim(
                "with relay-literal.yml five retries are the end, and operations are told",
                books.retriesOf(unlucky) == 6,
                books.retriesOf(unlucky) + " failed sends");
        stage.tell("Kafka is started again, and the operator puts the event back.");
        kafka.start(1);
        putBack(unlucky);
        awaitAllPuttingBack(unlucky);
    }

    private void putBack(UUID order) throws IOException, InterruptedException {
        postrider.run("dead", "retry", "--aggregate", "order/" + order, "--yes", "--as", Postrider.OPERATOR);
    }

    private void close() {
        stage.claim(
                "every event was sent, and handled once",
                books.stepsTracked() == books.events(),
                books.events() + " events, " + skipped.get() + " came again and were skipped");
        stage.claim("tracking knows where each parcel is", books.wrongParcels() == 0, "");
    }

    private void awaitAll() throws Exception {
        stage.await("all events", PATIENCE, this::hasAllArrived);
    }

    /** To the literal reading a busy Kafka is an outage too, of which an event may die (again). */
    private void awaitAllPuttingBack(UUID order) throws Exception {
        stage.await("all events", PATIENCE, () -> {
            if (books.statusOf(order).equals("FAILED")) {
                putBack(order);
            }
            return hasAllArrived();
        });
    }

    private boolean hasAllArrived() {
        return books.stepsTracked() == books.events() && books.events("PUBLISHED") == books.events();
    }

    private static String incompressible(int length) {
        return new Random(1)
                .ints(length, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
