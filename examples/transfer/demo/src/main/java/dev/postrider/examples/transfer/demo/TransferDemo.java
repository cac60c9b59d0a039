package dev.postrider.examples.transfer.demo;

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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Money moves; Kafka goes down, the bank is killed, and fraud detection gets everything twice. */
public final class TransferDemo {
    /** For a busy machine: a service that ends is noticed at once. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Duration OUTAGE = Duration.ofSeconds(10);

    private final Stage stage;
    private final DevKafka kafka;
    private final Topic topic;
    private final Database bankDatabase;
    private final Books books;
    private final RiskLog riskLog;
    private final Operations operations;
    private final Customers customers;
    private final ServiceProcess bank;
    private final ServiceProcess fraud;
    private final AtomicBoolean noticed = new AtomicBoolean();
    private final AtomicLong skipped = new AtomicLong();

    public static void main(String[] args) {
        Demo.run(
                "Transfer: money moves, and fraud detection hears of every transfer",
                stage -> new TransferDemo(stage).play());
    }

    private TransferDemo(Stage stage) throws Exception {
        this.stage = stage;
        DevPostgres postgres = stage.postgres();
        kafka = stage.kafka();
        topic = new Topic(kafka);
        topic.create();
        bankDatabase = new Database(postgres, "bank");
        books = new Books(bankDatabase);
        Database fraudDatabase = new Database(postgres, "fraud");
        riskLog = new RiskLog(fraudDatabase);
        operations = stage.own(new Operations());
        int port = freePort();
        customers = new Customers(port);
        bank = application("transfer/service", "dev.postrider.examples.transfer.TransferApplication", bankDatabase)
                .with("server.port", port)
                .with("server.address", "127.0.0.1")
                .with("postrider.alerts.webhook-url", operations.url())
                // So that an outage is noticed while somebody watches: Kafka's own figure is two minutes.
                .with("postrider.kafka.properties.delivery.timeout.ms", 3000)
                .with("postrider.kafka.properties.request.timeout.ms", 2000)
                .with("postrider.kafka.properties.max.block.ms", 2000)
                .with("postrider.relay.circuit.open-for", "2s")
                .onLine(line -> {
                    if (line.contains("circuit closed") && line.contains("open")) {
                        noticed.set(true);
                    }
                });
        fraud = application("transfer/fraud", "dev.postrider.examples.transfer.fraud.FraudApplication", fraudDatabase)
                .onLine(line -> {
                    if (line.contains("Already processed")) {
                        skipped.incrementAndGet();
                    }
                });
    }

    private ServiceProcess application(String module, String mainClass, Database database) {
        return stage.service(module, mainClass)
                .with("spring.datasource.url", database.url())
                .with("spring.datasource.username", database.user())
                .with("spring.datasource.password", database.password())
                .with("spring.kafka.bootstrap-servers", kafka.bootstrapServers());
    }

    private void play() throws Exception {
        open();
        ordinaryDay();
        kafkaDown();
        killed();
        everythingTwice();
        literalReading();
        close();
    }

    private void open() throws Exception {
        stage.tell("Starting the bank and fraud detection …");
        bank.start();
        fraud.start();
        awaitTheBank();
        customers.openAccounts(10);
        stage.screen().show(this::table);
    }

    private Table table() {
        Table table = new Table("events", "number");
        books.byStatus().forEach(table::row);
        return table.row("accepted by the bank", customers.accepted().size())
                .row("in the risk log", riskLog.size())
                .row("suspicious", riskLog.suspicious())
                .row("came again, skipped", skipped.get());
    }

    private void ordinaryDay() throws Exception {
        stage.tell("An ordinary day: 200 transfers between 10 accounts.");
        customers.transfer(200);
        awaitAll();
    }

    private void kafkaDown() throws Exception {
        stage.tell("Kafka is killed. The bank goes on: 50 transfers.");
        kafka.kill();
        customers.transfer(50);
        stage.await("the bank to notice", PATIENCE, noticed::get);
        stage.tell("The relay has noticed, and waits for Kafka. 50 more transfers.");
        customers.transfer(50);
        stage.pause(OUTAGE);
        long dead = books.count("DEAD_LETTER");
        long counted = books.failedSends();
        stage.claim(
                "an outage costs no event a retry",
                dead == 0 && counted == 0,
                dead + " dead, " + counted + " failed sends counted");
        stage.tell("Kafka is started again.");
        kafka.start(1);
        awaitAll();
    }

    private void killed() throws Exception {
        stage.tell("Kafka is stopped, 20 transfers commit, and the bank is killed before it can send anything.");
        kafka.kill();
        List<String> committed = customers.transfer(20);
        bank.kill();
        long unsent = committed.stream()
                .filter(transfer -> !books.statusOf(transfer).equals("PUBLISHED"))
                .count();
        stage.tell("Kafka and the bank are started again.");
        kafka.start(1);
        bank.start();
        awaitTheBank();
        awaitAll();
        stage.claim(
                "what was committed before the application was killed is sent after its next start",
                unsent == committed.size() && committed.stream().allMatch(riskLog::has),
                unsent + " of " + committed.size() + " were unsent");
    }

    private void everythingTwice() throws Exception {
        stage.tell("Fraud detection is stopped and gets everything again.");
        fraud.stop();
        long before = riskLog.size();
        topic.rewind("fraud");
        skipped.set(0);
        fraud.start();
        stage.await("everything to come again", PATIENCE, () -> skipped.get() >= before);
        stage.claim(
                "fraud detection got everything twice and skipped what it had processed",
                riskLog.size() == before,
                skipped.get() + " skipped, " + before + " in the risk log before, " + riskLog.size() + " after");
    }

    private void literalReading() throws Exception {
        stage.tell("The bank is started anew with the profile 'literal', and retries after a twentieth of the time.");
        bank.stop();
        bank.with("spring.profiles.active", "literal")
                .with("postrider.relay.retry.base", "100ms")
                .with("postrider.kafka.properties.delivery.timeout.ms", 1500)
                .with("postrider.kafka.properties.request.timeout.ms", 1400)
                .with("postrider.kafka.properties.max.block.ms", 1500)
                .start();
        awaitTheBank();
        customers.transfer(1);
        awaitAll();
        stage.tell("Kafka is killed, and money is transferred.");
        kafka.kill();
        String unlucky = customers.transfer(1).get(0);
        stage.await(
                "the death of the unlucky event",
                PATIENCE,
                () -> books.statusOf(unlucky).equals("DEAD_LETTER"));
        String number = books.numberOf(unlucky);
        stage.await("the alert", PATIENCE, () -> operations.knowOfDeathOf(number));
        stage.claim(
                "with the profile 'literal' the sixth failed send is the end, and operations are told the id",
                books.failedSendsOf(unlucky) == 6,
                books.failedSendsOf(unlucky) + " failed sends of event " + number);
        stage.tell("Kafka is started again, and an operator puts the event back: postrider dead retry");
        kafka.start(1);
        operations.putBack(bankDatabase, unlucky);
        awaitAll();
        stage.claim("put back by the operator, it arrived", riskLog.has(unlucky), "");
    }

    private void close() throws Exception {
        stage.await(
                "the last record",
                PATIENCE,
                () -> books.count("PUBLISHED") == customers.accepted().size());
        long accepted = customers.accepted().size();
        stage.claim(
                "every accepted transfer is in the risk log exactly once",
                riskLog.size() == accepted && riskLog.transfers() == accepted,
                accepted + " accepted, " + riskLog.size() + " in the risk log");
        stage.claim("each transfer has its event, and each event its transfer", books.withoutTheOther() == 0, "");
        stage.claim("no money was made or lost", books.money().equals("10000000.00"), books.money());
    }

    private void awaitTheBank() throws Exception {
        stage.await("the bank", PATIENCE, customers::findTheBankOpen);
    }

    private void awaitAll() throws Exception {
        stage.await(
                "all transfers",
                PATIENCE,
                () -> riskLog.transfers() == customers.accepted().size());
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
