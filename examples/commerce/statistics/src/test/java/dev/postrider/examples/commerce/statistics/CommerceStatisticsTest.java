package dev.postrider.examples.commerce.statistics;

import static org.awaitility.Awaitility.await;

import dev.postrider.examples.commerce.statistics.Api.Event;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with the figures of its application.yml. All classes below this one share it; each test has its own products. */
@SpringBootTest(properties = "logging.level.dev.postrider.spring.HandleOnce=debug")
abstract class CommerceStatisticsTest {
    static final Duration PATIENCE = Duration.ofSeconds(120);
    static final long PRODUCT_FROM_BEFORE = 1;

    private static final AtomicLong PRODUCTS = new AtomicLong(100);
    private static final Map<String, String> GROUPS = Map.of(
            "commerce-statistics-likes", "like-events",
            "commerce-statistics-views", "product-view-events",
            "commerce-statistics-sales", "order-events",
            "commerce-statistics-stock", "stock-events");

    static Admin kafka;

    @Autowired
    JdbcClient jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        String url = Servers.POSTGRES.createDatabase("statistics");
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", Servers.POSTGRES::user);
        registry.add("spring.datasource.password", Servers.POSTGRES::password);
        registry.add("spring.datasource.hikari.minimum-idle", () -> 1);
        registry.add("spring.kafka.bootstrap-servers", Servers.KAFKA::bootstrapServers);
        registry.add("spring.data.redis.port", Servers.REDIS::port);
        Api.deliver(Api.liked(PRODUCT_FROM_BEFORE, "ann"));
    }

    @BeforeAll
    static void connect() {
        kafka = Admin.create(Map.of("bootstrap.servers", Servers.KAFKA.bootstrapServers()));
    }

    @AfterAll
    static void disconnect() {
        kafka.close();
    }

    /** A group knows where it starts from then on. */
    @BeforeEach
    void awaitGroups() {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> GROUPS.keySet().stream()
                        .allMatch(group -> committed(group).size() == 3));
    }

    long newProduct() {
        return PRODUCTS.incrementAndGet();
    }

    Statistic of(long product) {
        return jdbc.sql("select like_count, sales_count, view_count from product_statistic where product_id = ?")
                .param(product)
                .query(Statistic.class)
                .optional()
                .orElse(Statistic.NONE);
    }

    void awaitStatistic(long product, Statistic expected) {
        await().atMost(PATIENCE).until(() -> of(product), expected::equals);
    }

    /** Returns when these events and all before them are done with. */
    void deliver(Event... events) {
        Api.deliver(events);
        awaitAllDone();
    }

    void awaitAllDone() {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> GROUPS.keySet().stream().allMatch(CommerceStatisticsTest::isDone));
    }

    private static boolean isDone(String group) {
        Map<TopicPartition, Long> done = committed(group);
        return ends(List.copyOf(done.keySet())).equals(done);
    }

    private static Map<TopicPartition, Long> committed(String group) {
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets = kafka.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
            return offsets.entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, entry -> entry.getValue().offset()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<TopicPartition, Long> ends(List<TopicPartition> partitions) {
        try {
            Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> ends = kafka.listOffsets(partitions.stream()
                            .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest())))
                    .all()
                    .get();
            return ends.entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, entry -> entry.getValue().offset()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static long deadLettersOf(String topic) {
        TopicPartition only = new TopicPartition(topic + ".dlq", 0);
        return ends(List.of(only)).get(only);
    }
}
