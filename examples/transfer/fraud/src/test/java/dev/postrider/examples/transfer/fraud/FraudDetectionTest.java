package dev.postrider.examples.transfer.fraud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.Requirement;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with the figures of its application.yml. When it starts, 1200 transfers are waiting for it. */
@SpringBootTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FraudDetectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final DevPostgres POSTGRES = DevPostgres.shared();
    private static final DevKafka KAFKA = DevKafka.shared();
    private static final List<OutboxEvent> WAITING =
            IntStream.range(0, 1200).mapToObj(n -> transfer("12.50")).toList();
    private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) throws Exception {
        // One partition, so that what is read at a time depends on the reader alone.
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.createTopics(List.of(
                            new NewTopic("transfers", 1, (short) 1), new NewTopic("transfers.dlq", 1, (short) 1)))
                    .all()
                    .get();
        }
        send(WAITING);
        String url = POSTGRES.createDatabase("fraud");
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", POSTGRES::user);
        registry.add("spring.datasource.password", POSTGRES::password);
        registry.add("spring.kafka.bootstrap-servers", KAFKA::bootstrapServers);
        LOG.list = new CopyOnWriteArrayList<>();
        LOG.start();
        ((Logger) LoggerFactory.getLogger(FraudDetection.class)).addAppender(LOG);
    }

    /** PostgreSQL tells of each row which transaction has written it. */
    @Test
    @Order(1)
    @Requirement("T12")
    void readsFiveHundredAtATime() {
        await().atMost(PATIENCE).until(() -> assessed() == 1200);

        assertThat(jdbc.sql("select count(*) from risk_log group by xmin order by min(assessed_at)")
                        .query(Integer.class)
                        .list())
                .contains(500)
                .allMatch(batch -> batch <= 500);
    }

    @Test
    @Order(2)
    @Requirement("T12")
    void skipsWhatIsInItsRiskLog() throws Exception {
        OutboxEvent last = transfer("9500.00");
        List<OutboxEvent> twice = new ArrayList<>(WAITING);
        twice.add(last);
        twice.add(last);
        send(twice);

        // One partition: what was sent before it has been read.
        String lastLine = "INFO Already processed: event " + last.id();
        await().atMost(PATIENCE).until(() -> log().contains(lastLine));

        assertThat(assessed()).isEqualTo(1201);
        assertThat(log())
                .contains("INFO Already processed: event " + WAITING.get(0).id())
                .hasSizeGreaterThanOrEqualTo(1201);
        assertThat(jdbc.sql("select score from risk_log where event_id = ?")
                        .param(last.id())
                        .query(Integer.class)
                        .single())
                .isEqualTo(70);
    }

    private static List<String> log() {
        return LOG.list.stream()
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
    }

    private int assessed() {
        return jdbc.sql("select count(*) from risk_log").query(Integer.class).single();
    }

    private static OutboxEvent transfer(String amount) {
        UUID id = UUID.randomUUID();
        return OutboxEvent.builder("TransferCompleted")
                .aggregate("Transfer", id.toString())
                .json(
                        "{\"transferId\": \"%s\", \"from\": 1, \"to\": 2, \"amount\": %s, \"at\": \"2026-11-18T20:00:00Z\"}"
                                .formatted(id, amount))
                .build();
    }

    private static void send(List<OutboxEvent> events) throws Exception {
        try (Publisher kafka = KafkaPublisher.builder(KAFKA.bootstrapServers()).build()) {
            kafka.ready("transfers").toCompletableFuture().get();
            List<CompletableFuture<PublishResult>> answers = events.stream()
                    .map(event -> kafka.publish(event, "transfers").toCompletableFuture())
                    .toList();
            for (CompletableFuture<PublishResult> answer : answers) {
                assertThat(answer.get()).isInstanceOf(PublishResult.Accepted.class);
            }
        }
    }
}
