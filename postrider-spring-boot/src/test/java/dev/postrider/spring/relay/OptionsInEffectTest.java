package dev.postrider.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import dev.postrider.publish.Publisher;
import dev.postrider.spring.TestDatabase;
import dev.postrider.testing.RecordingPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** What properties say about housekeeping, alerts and integrity is what the relay and the outbox do. */
class OptionsInEffectTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
            })
    static class Shop {
        @Bean
        RecordingPublisher publisher() {
            return RecordingPublisher.acceptingAll();
        }

        @Bean
        Pager pager() {
            return new Pager();
        }
    }

    /** A channel of the application's own. */
    static final class Pager implements AlertChannel {
        private final List<Alert> alerts = new CopyOnWriteArrayList<>();

        @Override
        public void send(Alert alert) {
            alerts.add(alert);
        }
    }

    private static ConfigurableApplicationContext start(String url, String... more) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(url))
                .properties("postrider.schema.initialize=always")
                .properties(more)
                .run();
    }

    private static void write(ConfigurableApplicationContext context, String id) {
        Outbox outbox = context.getBean(Outbox.class);
        context.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> outbox.write(OutboxEvent.builder("order.placed")
                        .aggregate("order", id)
                        .json("{}")
                        .build()));
    }

    private static List<String> accepted(ConfigurableApplicationContext context) {
        return ((RecordingPublisher) context.getBean(Publisher.class))
                .accepted().stream().map(OutboxEvent::aggregateId).toList();
    }

    /** If the outbox did not sign, or with another key, its event would not be sent either. */
    @Test
    void eventWithoutTheKeysSignatureIsNotSentAndAlertedOf() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "0123456789abcdef0123456789abcdef");
        try (ConfigurableApplicationContext context =
                start(TestDatabase.create(), "postrider.relay.integrity-key-file=" + key)) {
            context.getBean(JdbcTemplate.class)
                    .update("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('order.placed', 'order', 'forged', '{}')");
            write(context, "signed");

            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(accepted(context)).containsExactly("signed"));
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(context.getBean(Pager.class).alerts)
                            .extracting(Alert::rule)
                            .contains(Alert.INTEGRITY));
            assertThat(accepted(context)).doesNotContain("forged");
        }
    }

    @Test
    void rulesOfPropertiesDecideWhatIsAlertedOf() {
        try (ConfigurableApplicationContext context = start(
                TestDatabase.create(),
                "postrider.relay.integrity=required",
                "postrider.alerts.integrity-failures=off",
                "postrider.alerts.dead-letters=0")) {
            context.getBean(JdbcTemplate.class)
                    .update("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                            + " values ('order.placed', 'order', 'forged', '{}')");

            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(context.getBean(Pager.class).alerts)
                            .extracting(Alert::rule)
                            .contains(Alert.DEAD_LETTER));
            assertThat(context.getBean(Pager.class).alerts)
                    .extracting(Alert::rule)
                    .doesNotContain(Alert.INTEGRITY);
        }
    }

    @Test
    void eventsThatRetentionDoesNotKeepAreDeleted() {
        String url = TestDatabase.create();
        try (ConfigurableApplicationContext keeping = start(url)) {
            write(keeping, "old");
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(accepted(keeping)).containsExactly("old"));
            // So that the next run of housekeeping was missed, and is done at once.
            keeping.getBean(JdbcTemplate.class)
                    .update("insert into outbox_settings (name, value)"
                            + " values ('retention_last_run', '2026-01-01T00:00:00Z')");
        }

        try (ConfigurableApplicationContext deleting = start(url, "postrider.retention.published=0s")) {
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(deleting.getBean(JdbcTemplate.class)
                                    .queryForObject("select count(*) from outbox", Long.class))
                            .isZero());
        }
    }
}
