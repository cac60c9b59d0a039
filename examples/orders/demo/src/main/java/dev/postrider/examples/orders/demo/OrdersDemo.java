package dev.postrider.examples.orders.demo;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.Demo;
import dev.postrider.examples.ServiceProcess;
import dev.postrider.examples.Stage;
import dev.postrider.examples.Table;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** A shop takes orders, Kafka goes down, an order is poison, and an operator puts it back. */
public final class OrdersDemo {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration OUTAGE = Duration.ofSeconds(8);
    private static final int SMALL_MESSAGES = 100_000;
    private static final int LARGE_MESSAGES = 1_000_000;

    private final Stage stage;
    private final DevKafka kafka;
    private final Topic topic;
    private final Books books;
    private final Operator operator;
    private final Warehouse warehouse;
    private final Shop shop;
    private final ServiceProcess service;
    private final List<String> errors = new CopyOnWriteArrayList<>();

    public static void main(String[] args) {
        Demo.run(
                "Orders: an order service whose events survive Kafka, and its operator",
                stage -> new OrdersDemo(stage).play());
    }

    private OrdersDemo(Stage stage) throws Exception {
        this.stage = stage;
        DevPostgres postgres = stage.postgres();
        kafka = stage.kafka();
        topic = new Topic(kafka, "order-events");
        topic.create(SMALL_MESSAGES);
        books = new Books(postgres);
        operator = new Operator(postgres);
        warehouse = stage.own(new Warehouse(kafka.bootstrapServers(), topic.name()));
        int port = freePort();
        shop = new Shop(port);
        service = stage.service("orders/service", "dev.postrider.examples.orders.OrdersApplication")
                .with("spring.datasource.url", postgres.jdbcUrl())
                .with("spring.datasource.username", postgres.user())
                .with("spring.datasource.password", postgres.password())
                .with("spring.kafka.bootstrap-servers", kafka.bootstrapServers())
                .with("server.port", port)
                .with("server.address", "127.0.0.1")
                .onLine(line -> {
                    if (line.contains(" ERROR ")) {
                        errors.add(line);
                    }
                });
    }

    private void play() throws Exception {
        open();
        ordinaryDay();
        kafkaDown();
        poison();
        literalReading();
        close();
    }

    private void open() throws Exception {
        stage.tell("Starting the order service …");
        service.start();
        stage.await("the order service", PATIENCE, shop::isOpen);
        warehouse.start();
        stage.screen().show(this::table);
    }

    private Table table() {
        Table table = new Table("events", "number");
        books.byStatus().forEach(table::row);
        return table.row("accepted by the shop", shop.accepted().size())
                .row("arrived at the warehouse", warehouse.arrived());
    }

    private void ordinaryDay() throws Exception {
        stage.tell("The shop takes 20 orders, and five customers change their minds.");
        List<UUID> orders = shop.place(20);
        for (UUID order : orders.subList(0, 5)) {
            shop.change(order);
        }
        awaitAll();
    }

    private void kafkaDown() throws Exception {
        stage.tell("Kafka is killed. The shop goes on: 10 orders.");
        kafka.kill();
        shop.place(10);
        stage.pause(OUTAGE);
        long died = books.count("FAILED");
        stage.claim(
                "an outage longer than all retries together kills no event",
                died == 0,
                "down for " + OUTAGE.toSeconds() + " s and more, retries take 3.1 s");
        stage.tell("Kafka is started again.");
        kafka.start(1);
        awaitAll();
    }

    private void poison() throws Exception {
        stage.tell("An order comes with a note that is larger than the topic allows.");
        UUID poison = shop.placeWithNote(250_000);
        stage.await(
                "the death of the poison order",
                PATIENCE,
                () -> books.statusOf(poison).equals("FAILED"));
        stage.tell("It is FAILED: " + books.errorOf(poison));
        stage.tell("Five more orders go past it.");
        List<UUID> others = shop.place(5);
        stage.await("the orders after it", PATIENCE, () -> warehouse.has(others));
        stage.claim(
                "a poison order dies alone, with one error in the log", errors.size() == 1, errors.size() + " errors");
        stage.tell("The operator lets the topic take larger messages, and puts the order back: postrider dead retry");
        topic.allow(LARGE_MESSAGES);
        operator.putBack(poison);
        awaitAll();
        stage.claim("put back by the operator, it arrived", warehouse.has(List.of(poison)), "");
    }

    private void literalReading() throws Exception {
        stage.tell("The service is started anew with the profile 'literal': now an outage counts.");
        service.stop();
        errors.clear();
        service.with("spring.profiles.active", "literal").start();
        stage.await("the order service", PATIENCE, shop::isOpen);
        shop.place(1);
        awaitAll();
        stage.tell("Kafka is killed, and an order comes.");
        kafka.kill();
        UUID unlucky = shop.place(1).get(0);
        stage.await(
                "the death of the unlucky order",
                PATIENCE,
                () -> books.statusOf(unlucky).equals("FAILED"));
        stage.claim(
                "with the profile 'literal' five retries are the end, with one error in the log",
                books.failedSendsOf(unlucky) == 6 && errors.size() == 1,
                books.failedSendsOf(unlucky) + " failed sends, " + errors.size() + " errors");
        stage.tell("Kafka is started again, and the operator puts the order back.");
        kafka.start(1);
        operator.putBack(unlucky);
        awaitAll();
    }

    private void close() throws Exception {
        stage.await(
                "the last record",
                PATIENCE,
                () -> books.count("SENT") == shop.accepted().size());
        stage.claim(
                "everything that the shop accepted has arrived",
                warehouse.missing(shop.accepted()).isEmpty(),
                shop.accepted().size() + " versions of orders, "
                        + warehouse.missing(shop.accepted()).size() + " missing, " + warehouse.repeated()
                        + " came more than once");
        stage.claim("each event has its own id in its payload", warehouse.wrongIds() == 0, "");
        stage.claim("each event has all that the warehouse needs", warehouse.incomplete() == 0, "");
        stage.claim("the audit names the operator", books.retriesBy(Operator.NAME) == 2, "");
    }

    private void awaitAll() throws Exception {
        stage.await(
                "all events", PATIENCE, () -> warehouse.missing(shop.accepted()).isEmpty());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
