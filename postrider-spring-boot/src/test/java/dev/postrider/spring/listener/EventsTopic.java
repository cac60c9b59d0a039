package dev.postrider.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TopicRouting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of its own with its dead letter topic, on the test run's one Kafka. */
final class EventsTopic implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Map<String, Object> SERVERS =
            Map.of("bootstrap.servers", DevKafka.shared().bootstrapServers());

    private final String prefix = "listened-" + COUNT.incrementAndGet() + "-";
    private final int partitions;
    private final Admin admin = Admin.create(SERVERS);

    EventsTopic(int partitions) {
        this.partitions = partitions;
        await(admin.createTopics(List.of(
                        new NewTopic(name(), partitions, (short) 1), new NewTopic(name() + ".dlq", 1, (short) 1)))
                .all());
    }

    private static <T> T await(KafkaFuture<T> future) {
        return future.toCompletionStage().toCompletableFuture().join();
    }

    /** The dead letter topic takes no larger records. */
    void limitDeadLetters(int bytes) {
        await(admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, name() + ".dlq"),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("max.message.bytes", String.valueOf(bytes)),
                                AlterConfigOp.OpType.SET))))
                .all());
    }

    /** Of the first partition: what the group has committed, or -1. */
    long committed() {
        OffsetAndMetadata offset = await(admin.listConsumerGroupOffsets(group()).partitionsToOffsetAndMetadata())
                .get(new TopicPartition(name(), 0));
        return offset == null ? -1 : offset.offset();
    }

    String name() {
        return prefix + "order-events";
    }

    String group() {
        return prefix + "group";
    }

    /** What an application needs that listens to it from the beginning, and retries soon. */
    String[] properties() {
        return new String[] {
            "topic=" + name(),
            "spring.kafka.bootstrap-servers=" + DevKafka.shared().bootstrapServers(),
            "postrider.listener.group=" + group(),
            "postrider.listener.start-at=earliest",
            "postrider.listener.retry.base=50ms",
            "postrider.listener.retry.multiplier=1",
            "postrider.listener.retry.max-retries=2"
        };
    }

    static OutboxEvent.Builder event(String key, String json) {
        return OutboxEvent.builder("shop.order.paid")
                .aggregate("order", key)
                .source("shop")
                .json(json);
    }

    void send(OutboxEvent... events) {
        send(ContentMode.BINARY, List.of(events));
    }

    /** Events of one key are sent one after the other, as a relay does it. */
    void send(ContentMode mode, List<OutboxEvent> events) {
        try (KafkaPublisher publisher = KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(TopicRouting.byConvention().prefix(prefix))
                .contentMode(mode)
                .property("linger.ms", "5")
                .build()) {
            List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
            for (OutboxEvent event : events) {
                String destination = publisher.destination(event);
                if (!publisher.mayFollowInFlight(event, destination)) {
                    answers.forEach(EventsTopic::requireAccepted);
                    answers.clear();
                }
                answers.add(publisher.publish(event, destination).toCompletableFuture());
            }
            answers.forEach(EventsTopic::requireAccepted);
        }
    }

    private static void requireAccepted(CompletableFuture<PublishResult> answer) {
        assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join()).isInstanceOf(PublishResult.Accepted.class);
    }

    /** A record that is no event. */
    void sendPlain(String topic, String key, String value) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(SERVERS, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, key, value)).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    List<ConsumerRecord<String, String>> deadLetters(int count) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(SERVERS, new StringDeserializer(), new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(name() + ".dlq", 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            for (int polls = 0; polls < 60 && read.size() < count; polls++) {
                consumer.poll(Duration.ofSeconds(1)).forEach(read::add);
            }
        }
        return read;
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /** Whether the group has committed everything there is. */
    boolean isAllCommitted() {
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
            for (int partition = 0; partition < partitions; partition++) {
                latest.put(new TopicPartition(name(), partition), OffsetSpec.latest());
            }
            return admin.listOffsets(latest).all().get().entrySet().stream().allMatch(end -> {
                OffsetAndMetadata offset = committed.get(end.getKey());
                return end.getValue().offset() == (offset == null ? 0 : offset.offset());
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        admin.close();
    }
}
