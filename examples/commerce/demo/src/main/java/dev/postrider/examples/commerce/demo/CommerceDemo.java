package dev.postrider.examples.commerce.demo;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.Demo;
import dev.postrider.examples.ServiceProcess;
import dev.postrider.examples.Stage;
import dev.postrider.examples.Table;
import dev.postrider.examples.commerce.redis.DevRedis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A shop is open while brokers are killed, and everything that happens in it counts once. */
public final class CommerceDemo {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int PRODUCTS = 6;

    private final Stage stage;
    private final DevKafka kafka;
    private final Topics topics;
    private final Books books;
    private final Operator operator;
    private final Customers customers;
    private final ServiceProcess api;
    private final ServiceProcess statistics;
    private final List<Long> products = new ArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();

    public static void main(String[] args) {
        Demo.run(
                "Commerce: what happens in a shop is counted once, whatever happens to its brokers",
                stage -> new CommerceDemo(stage).play());
    }

    private CommerceDemo(Stage stage) throws Exception {
        this.stage = stage;
        DevPostgres postgres = stage.postgres();
        stage.tell("Starting Redis …");
        DevRedis redis = stage.own(DevRedis.start());
        stage.tell("Starting three brokers of Kafka …");
        kafka = stage.own(DevKafka.builder()
                .brokers(3)
                .setting("auto.create.topics.enable", "false")
                .start());
        Books.Database shop = database(postgres, "shop");
        Books.Database counted = database(postgres, "statistics");
        books = new Books(shop, counted);
        operator = new Operator(shop, kafka.bootstrapServers());
        topics = stage.own(new Topics(kafka.bootstrapServers()));
        int port = freePort();
        customers = new Customers(port);
        api = service("commerce/api", "dev.postrider.examples.commerce.api.CommerceApiApplication", shop, redis)
                .with("server.port", port)
                .with("server.address", "127.0.0.1")
                .onLine(line -> {
                    if (line.contains("circuit ")) {
                        warnings.add(line);
                    }
                });
        statistics = service(
                        "commerce/statistics",
                        "dev.postrider.examples.commerce.statistics.CommerceStatisticsApplication",
                        counted,
                        redis)
                .onLine(line -> {
                    if (line.contains("given up after")) {
                        errors.add(line);
                    }
                });
    }

    private static Books.Database database(DevPostgres postgres, String name) {
        return new Books.Database(postgres.createDatabase(name), postgres.user(), postgres.password());
    }

    private ServiceProcess service(String module, String main, Books.Database database, DevRedis redis) {
        return stage.service(module, main)
                .with("spring.datasource.url", database.url())
                .with("spring.datasource.username", database.user())
                .with("spring.datasource.password", database.password())
                .with("spring.kafka.bootstrap-servers", kafka.bootstrapServers())
                .with("spring.data.redis.port", redis.port());
    }

    private void play() throws Exception {
        open();
        ordinaryDay();
        nothingCountsTwice();
        soldOut();
        brokersAreKilled();
        poison();
        close();
    }

    private void open() throws Exception {
        stage.tell("The operator makes the topics: postrider topics apply --config topics.yml");
        operator.applyTopics(stage.examples().resolve("commerce/topics.yml"));
        stage.tell("Starting the statistics and the API …");
        statistics.start();
        api.start();
        stage.await("the API", PATIENCE, customers::isOpen);
        stage.await("the statistics", PATIENCE, topics::groupsHaveBegun);
        stage.screen().show(this::table);
    }

    private Table table() {
        Map<Long, Numbers> counted = books.statistics();
        Table table = new Table("product", "likes", "sales", "views");
        customers.accepted().forEach((product, really) -> {
            Numbers so = counted.getOrDefault(product, Numbers.NONE);
            table.row(
                    "product " + product,
                    so.likes() + " of " + really.likes(),
                    so.sales() + " of " + really.sales(),
                    so.views() + " of " + really.views());
        });
        return table.row("failed events", books.failed(), "", "");
    }

    private void ordinaryDay() throws Exception {
        stage.tell("The shop opens: customers look, like and buy. Whoever likes something clicks twice.");
        for (int i = 0; i < PRODUCTS; i++) {
            products.add(customers.offer("cup " + i, 100));
        }
        for (long product : products) {
            for (String user : List.of("ann", "bob", "carl")) {
                customers.view(product, user);
                customers.like(product, user);
            }
            customers.unlike(product, "carl");
            customers.buy(product, 2);
        }
        awaitAllCounted();
    }

    private void nothingCountsTwice() throws Exception {
        String order = customers.buy(products.get(0), 3);
        awaitAllCounted();
        stage.tell("By mistake the order is reported as paid a second time, under another event id.");
        books.payAgain(order);
        stage.tell("And the operator sends everything once more: postrider replay");
        operator.replayEverything();
        stage.await("the statistics", PATIENCE, topics::allIsRead);
        stage.claim(
                "an order that is paid twice, and a replay of everything, change no number",
                books.statistics().equals(customers.accepted()),
                "");
    }

    private void soldOut() throws Exception {
        long rare = customers.offer("rare cup", 2);
        int cached = customers.stockOf(rare);
        stage.tell("Somebody buys the last two of product " + rare + ", which is cached.");
        customers.buy(rare, cached);
        stage.await("the eviction of product " + rare, PATIENCE, () -> customers.stockOf(rare) == 0);
        stage.claim("a product that is sold out is evicted from the cache", customers.stockOf(rare) == 0, "");
        awaitAllCounted();
    }

    private void brokersAreKilled() throws Exception {
        stage.tell("One broker is killed. Customers go on.");
        kafka.kill(3);
        shopping("dora");
        awaitAllCounted();
        stage.claim("with one broker less everything goes on", true, "");

        stage.tell("A second broker is killed. Customers go on, and the last broker refuses all writes.");
        kafka.kill(2);
        warnings.clear();
        shopping("ed");
        stage.await("the circuit", PATIENCE, () -> warnings.stream().anyMatch(line -> line.contains("circuit closed")));
        String cursor = books.cursor();
        stage.tell("The circuit is open: nothing is sent for 30 s at a time.");
        stage.pause(Duration.ofSeconds(10));
        stage.claim(
                "with two brokers less the circuit opens, the cursor stands still and nothing is counted as failed",
                books.cursor().equals(cursor) && books.failed() == 0,
                books.failed() + " failed events");

        stage.tell("Both brokers are started again.");
        kafka.start(2);
        kafka.start(3);
        awaitAllCounted();
        stage.claim("when they are back all of it is delivered", true, "");
    }

    private void shopping(String user) throws Exception {
        for (long product : products) {
            for (int i = 0; i < 3; i++) {
                customers.view(product, user);
            }
            customers.like(product, user);
            customers.buy(product, 1);
        }
    }

    private void poison() throws Exception {
        stage.tell("Somebody writes a view that nobody can read, and customers go on.");
        books.poison();
        shopping("flo");
        awaitAllCounted();
        stage.await(
                "the dead letter",
                PATIENCE,
                () -> topics.deadLettersOf("product-view-events") == 1 && !errors.isEmpty());
        stage.claim(
                "a record that cannot be read is retried, set aside and named, and the others count",
                errors.size() == 1,
                errors.size() + " given up");
    }

    private void close() throws Exception {
        stage.await("the last record", PATIENCE, topics::allIsRead);
        stage.claim(
                "each like, sale and view that the shop accepted is counted once",
                books.statistics().equals(customers.accepted()),
                customers.accepted().values().stream().mapToLong(Numbers::views).sum() + " views, "
                        + customers.accepted().values().stream()
                                .mapToLong(Numbers::sales)
                                .sum()
                        + " sales");
    }

    private void awaitAllCounted() throws Exception {
        stage.await("all numbers", PATIENCE, () -> books.statistics().equals(customers.accepted()));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
