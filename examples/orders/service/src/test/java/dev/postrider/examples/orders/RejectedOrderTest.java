package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.admin.AuditEntry;
import dev.postrider.examples.Requirement;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * Orders that the destination refuses. Kafka refuses hardly anything that could be accepted later, so somebody stands
 * before it who does. The figures are those of application.yml.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
class RejectedOrderTest {
    private static final List<Integer> SCHEDULE = List.of(100, 200, 400, 800, 1600);
    private static final String DATABASE = "rejected";

    private static String url = "";

    @Autowired
    Orders orders;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    Doorman doorman;

    /** Refuses what it is told to refuse, and hands everything else to Kafka. */
    static final class Doorman implements Publisher {
        private final Publisher kafka =
                KafkaPublisher.builder(Servers.KAFKA.bootstrapServers()).build();
        private final List<Long> refusals = new CopyOnWriteArrayList<>();
        private volatile boolean strict;

        @Override
        public String destination(OutboxEvent event) {
            return DATABASE + "-order-events";
        }

        @Override
        public CompletionStage<?> ready(String destination) {
            return kafka.ready(destination);
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            if (strict) {
                refusals.add(System.nanoTime());
                return CompletableFuture.completedFuture(new PublishResult.Rejected("refused", "not today", false));
            }
            return kafka.publish(event, destination);
        }

        @Override
        public void close() {
            kafka.close();
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Destination {
        @Bean
        Doorman doorman() {
            return new Doorman();
        }
    }

    /** The database of a service that was stopped over night: the clean-up of 02:00 is still to be done. */
    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        url = Servers.migratedDatabase(DATABASE);
        Servers.register(registry, DATABASE, url);
        JdbcClient jdbc = JdbcClient.create(
                new DriverManagerDataSource(url, Servers.POSTGRES.user(), Servers.POSTGRES.password()));
        jdbc.sql("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, created_at, published_at)
                select 'shop.order.placed', 'order', 'sent-' || days || '-days-ago', '{}', 'PUBLISHED',
                       now() - days * interval '1 day', now() - days * interval '1 day'
                from unnest(array[1, 29, 31, 60]) as days
                """).update();
        jdbc.sql("insert into outbox_settings (name, value) values ('retention_last_run', ?)")
                .param(Instant.now().minus(Duration.ofDays(2)).toString())
                .update();
    }

    @BeforeEach
    void refuseNothing() {
        doorman.strict = false;
        doorman.refusals.clear();
    }

    @Test
    @Requirement("O4")
    void refusedEventIsSentFiveMoreTimesAndIsDeadThen() {
        try (Errors errors = new Errors()) {
            Order poison = die();

            List<Duration> waits = new ArrayList<>();
            for (int i = 1; i < doorman.refusals.size(); i++) {
                waits.add(Duration.ofNanos(doorman.refusals.get(i) - doorman.refusals.get(i - 1)));
            }
            assertThat(waits).hasSize(5);
            for (int i = 0; i < 5; i++) {
                assertThat(waits.get(i))
                        .describedAs("wait %d of %s", i, waits)
                        .isBetween(Duration.ofMillis(SCHEDULE.get(i)), Duration.ofMillis(SCHEDULE.get(i) + 1000));
            }
            assertThat(OutboxRow.of(jdbc, poison.id()).errorMessage()).contains("not today");
            assertThat(errors.messages()).singleElement().asString().contains("is a dead letter");
        }
    }

    @Test
    @Requirement("O5")
    void operatorPutsADeadEventBack(@Autowired OutboxAdmin admin) throws Exception {
        Order poison = die();
        OutboxRow dead = OutboxRow.of(jdbc, poison.id());
        doorman.strict = false;
        // So that there is something to see between PENDING and SENT.
        admin.pause("olga", "looking at it");

        String answer =
                Operator.postrider(url, "dead", "retry", "--event-id", dead.id().toString(), "--yes", "--as", "olga");

        assertThat(answer).contains("1 event will be sent again");
        assertThat(jdbc.sql("select status from outbox where event_id = ?")
                        .param(dead.id())
                        .query(String.class)
                        .single())
                .isEqualTo("PENDING");
        assertThat(OutboxRow.of(jdbc, poison.id()).status()).isEqualTo("NEW");
        admin.resume("olga");
        await().atMost(OrderServiceTest.PATIENCE)
                .until(() -> OutboxRow.of(jdbc, poison.id()).status().equals("SENT"));
        try (Topic topic = Servers.topic(DATABASE)) {
            await().atMost(OrderServiceTest.PATIENCE)
                    .until(() -> topic.of(poison.id()).size() == 1);
            assertThat(topic.of(poison.id()).get(0).id()).isEqualTo(dead.id().toString());
        }
        assertThat(admin.audit(10)).extracting(AuditEntry::actor).contains("olga");
    }

    /** An order that is refused until it is dead. */
    private Order die() {
        doorman.strict = true;
        Order poison = orders.place(SampleOrders.cups(1));
        await().atMost(OrderServiceTest.PATIENCE)
                .until(() -> OutboxRow.of(jdbc, poison.id()).status().equals("FAILED"));
        return poison;
    }

    @Test
    @Requirement("O6")
    void sentEventsAreDeletedAfterThirtyDays() {
        String left = "select aggregate_id from order_outbox where aggregate_id like 'sent-%' order by created_at desc";
        await().atMost(OrderServiceTest.PATIENCE)
                .untilAsserted(
                        () -> assertThat(jdbc.sql(left).query(String.class).list())
                                .containsExactly("sent-1-days-ago", "sent-29-days-ago"));
    }
}
