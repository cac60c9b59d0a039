package dev.postrider.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.devservices.DevKafka;
import dev.postrider.internal.spring.relay.RelayLifecycle;
import dev.postrider.spring.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** The life of an application that delivers to a real broker. */
class KafkaLifeTest {
    private static final Duration LONG = Duration.ofSeconds(90);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
            })
    static class Shop {}

    private final Set<String> committed = ConcurrentHashMap.newKeySet();

    private ConfigurableApplicationContext start(String url, Optional<String> load) {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(TestDatabase.properties(url))
                .properties(
                        "postrider.schema.initialize=always",
                        "postrider.relay.destination=kafka",
                        "postrider.relay.circuit.open-for=1s",
                        "spring.kafka.bootstrap-servers=" + DevKafka.shared().bootstrapServers())
                .initializers(context -> load.ifPresent(type -> {
                    GenericApplicationContext beans = (GenericApplicationContext) context;
                    beans.registerBean(
                            Load.class,
                            () -> new Load(
                                    type,
                                    beans.getBean(Outbox.class),
                                    beans.getBean(TransactionTemplate.class),
                                    committed));
                }))
                .run();
    }

    private static void createTopic(String topic) {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                    .all()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
        }
    }

    /** Reads on where it was. Only what is committed counts. */
    private static final class Reader implements AutoCloseable {
        private final KafkaConsumer<String, String> consumer;
        private final List<String> keys = new ArrayList<>();

        Reader(String topic) {
            consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers",
                            DevKafka.shared().bootstrapServers(),
                            "isolation.level",
                            "read_committed"),
                    new StringDeserializer(),
                    new StringDeserializer());
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
        }

        List<String> keys() {
            consumer.poll(Duration.ofMillis(100)).forEach(record -> keys.add(record.key()));
            return keys;
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    @Test
    void withExactlyOnceNothingIsLostOrDoubledWhenTheContextIsClosedUnderLoad() {
        String url = TestDatabase.create();
        OutboxSchema.migrate(
                new DriverManagerDataSource(url, TestDatabase.user(url), TestDatabase.password(url)),
                OutboxTable.DEFAULT,
                OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
        createTopic("closed-events");

        try (Reader reader = new Reader("closed-events")) {
            try (ConfigurableApplicationContext context = start(url, Optional.of("shop.closed.written"))) {
                await().atMost(LONG).until(() -> reader.keys().size() >= 20);
                assertThat(context.getBean(Load.class).isRunning()).isTrue();
            }
            try (ConfigurableApplicationContext next = start(url, Optional.empty())) {
                await().atMost(LONG).until(() -> reader.keys().size() >= committed.size());
                // Whatever came twice comes before this one: it is read last.
                String last = write(next, "shop.closed.written");
                committed.add(last);
                await().atMost(LONG).until(() -> reader.keys().contains(last));
            }
            assertThat(reader.keys()).containsExactlyInAnyOrderElementsOf(committed);
        }
    }

    private static String write(ConfigurableApplicationContext context, String type) {
        Outbox outbox = context.getBean(Outbox.class);
        String id = "written-last";
        context.getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> outbox.write(OutboxEvent.builder(type)
                        .aggregate("load", id)
                        .json("{}")
                        .build()));
        return id;
    }

    @Test
    void brokerMayComeLate() {
        createTopic("late-events");
        DevKafka.shared().stop();
        try (ConfigurableApplicationContext context = start(TestDatabase.create(), Optional.empty())) {
            String id = write(context, "shop.late.written");
            assertThat(context.getBean(RelayLifecycle.class).isRunning()).isTrue();

            DevKafka.shared().restart();
            try (Reader reader = new Reader("late-events")) {
                await().atMost(LONG).until(() -> reader.keys().contains(id));
                assertThat(reader.keys()).containsExactly(id);
            }
        } finally {
            if (!DevKafka.shared().isRunning(1)) {
                DevKafka.shared().restart();
            }
        }
    }
}
