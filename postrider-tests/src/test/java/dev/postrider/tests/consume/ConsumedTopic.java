package dev.postrider.tests.consume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.failure.Backoff;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.StartAt;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TopicRouting;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of its own on the test run's one Kafka, a group of its own, and the consumers that a test starts on them. */
final class ConsumedTopic implements AutoCloseable {
    /** As long as a busy machine may take. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    static final String TYPE = "acme.order.paid.v1";
    static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final Map<String, Object> SERVERS =
            Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers());

    private final TestTopics topics = new TestTopics("consumed");
    private final int partitions;
    private final List<KafkaEventConsumer> consumers = new ArrayList<>();
    private final Admin admin = Admin.create(SERVERS);

    ConsumedTopic(int partitions) {
        this.partitions = partitions;
        topics.create("order-events", partitions);
    }

    String name() {
        return topics.prefix() + "order-events";
    }

    String group() {
        return topics.prefix() + "group";
    }

    void createDeadLetterTopic(String... settings) {
        topics.create("order-events.dlq", 1, settings);
    }

    /** Reads from the beginning, retries soon. */
    static ConsumerSettings.Builder settings(String name, int maxRetries) {
        return ConsumerSettings.builder()
                .name(name)
                .startAt(StartAt.EARLIEST)
                .retry(retryAfter(Duration.ofMillis(50), maxRetries));
    }

    static Backoff retryAfter(Duration delay, int maxRetries) {
        return new Backoff(delay, 1, delay, 0, maxRetries);
    }

    KafkaEventConsumer.Builder consumer() {
        return KafkaEventConsumer.builder(DevKafka.shared().bootstrapServers(), group())
                .topics(name())
                .settings(settings("consumer", 2).build());
    }

    /** Stopped with this topic. */
    KafkaEventConsumer start(KafkaEventConsumer.Builder builder) {
        KafkaEventConsumer consumer = builder.build();
        consumers.add(consumer);
        consumer.start();
        return consumer;
    }

    /** Events with a body each, all of one key. */
    void send(String key, String... bodies) {
        try (KafkaPublisher publisher = publisher(ContentMode.BINARY)) {
            for (String body : bodies) {
                send(publisher, key, body);
            }
        }
    }

    void send(ContentMode mode, String key, String body) {
        try (KafkaPublisher publisher = publisher(mode)) {
            send(publisher, key, body);
        }
    }

    /** Such that a consumer reads all or none of them. */
    void sendInOneRequest(String key, String... bodies) {
        try (KafkaPublisher publisher = publisher(ContentMode.BINARY, "2000")) {
            List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
            for (String body : bodies) {
                answers.add(publish(publisher, key, body));
            }
            answers.forEach(ConsumedTopic::requireAccepted);
        }
    }

    /** Events with the bodies 0, 1, 2 … on the keys key-0, key-1 … in turn. */
    void sendMany(int count, int keys) {
        try (KafkaPublisher publisher = publisher(ContentMode.BINARY)) {
            for (int n = 0; n < count; n++) {
                send(publisher, "key-" + n % keys, Integer.toString(n));
            }
        }
    }

    /** As a relay does: what may not follow others in flight waits until they are answered. */
    void sendAll(List<OutboxEvent> events) {
        try (KafkaPublisher publisher = publisher(ContentMode.BINARY, "5")) {
            List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
            for (OutboxEvent event : events) {
                String destination = publisher.destination(event);
                if (!publisher.mayFollowInFlight(event, destination)) {
                    answers.forEach(ConsumedTopic::requireAccepted);
                    answers.clear();
                }
                answers.add(publisher.publish(event, destination).toCompletableFuture());
            }
            answers.forEach(ConsumedTopic::requireAccepted);
        }
    }

    private KafkaPublisher publisher(ContentMode mode) {
        return publisher(mode, "0");
    }

    private KafkaPublisher publisher(ContentMode mode, String linger) {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(TopicRouting.byConvention().prefix(topics.prefix()))
                .contentMode(mode)
                .property("linger.ms", linger)
                .build();
    }

    private static void send(KafkaPublisher publisher, String key, String body) {
        requireAccepted(publish(publisher, key, body));
    }

    private static CompletableFuture<PublishResult> publish(KafkaPublisher publisher, String key, String body) {
        OutboxEvent event = OutboxEvent.builder(TYPE)
                .aggregate("order", key)
                .source("shop")
                .json(body)
                .header("traceparent", TRACE)
                .header("tracestate", "vendor=1")
                .header("tenant", "t-1")
                .build();
        return publisher.publish(event, publisher.destination(event)).toCompletableFuture();
    }

    private static void requireAccepted(CompletableFuture<PublishResult> answer) {
        assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join()).isInstanceOf(PublishResult.Accepted.class);
    }

    /** A record that is no event. */
    void sendPlain(String key, String value) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(SERVERS, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(name(), key, value)).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    List<ConsumerRecord<String, byte[]>> deadLetters(int count) {
        return topics.read("order-events.dlq", new ByteArrayDeserializer(), count);
    }

    /** What the group has committed, by partition; nothing counts as 0. */
    Map<Integer, Long> committed() {
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<Integer, Long> result = new HashMap<>();
            for (TopicPartition partition : topics.partitions("order-events", partitions)) {
                OffsetAndMetadata offset = offsets.get(partition);
                result.put(partition.partition(), offset == null ? 0 : offset.offset());
            }
            return result;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Where the partitions end. */
    Map<Integer, Long> ends() {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        topics.partitions("order-events", partitions).forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        try {
            Map<Integer, Long> result = new HashMap<>();
            admin.listOffsets(latest)
                    .all()
                    .get()
                    .forEach((partition, end) -> result.put(partition.partition(), end.offset()));
            return result;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    boolean isAllCommitted() {
        return committed().equals(ends());
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    Admin admin() {
        return admin;
    }

    @Override
    public void close() {
        consumers.forEach(KafkaEventConsumer::stop);
        admin.close();
    }
}
