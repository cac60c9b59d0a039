package dev.postrider.cli.demo;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the whole topic with Kafka's plain consumer, on a thread of its own, and tells the proof. */
final class EventConsumer implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final DeliveryProof proof;
    private final Thread thread = new Thread(this::run, "postrider-demo-consumer");
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean readingToEnd;

    /**
     * @param isolation whether records of transactions that are open or were aborted are seen
     */
    EventConsumer(
            String bootstrapServers, List<TopicPartition> partitions, IsolationLevel isolation, DeliveryProof proof) {
        this.proof = proof;
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation.toString(),
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "200"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(partitions);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try (consumer) {
            while (!(readingToEnd && isAtEnd())) {
                var records = consumer.poll(POLL);
                long at = System.nanoTime();
                records.forEach(record -> proof.received(idOf(record), at));
            }
            ended.complete(null);
        } catch (WakeupException e) {
            ended.complete(null);
        } catch (RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    private static UUID idOf(ConsumerRecord<byte[], byte[]> record) {
        return UUID.fromString(new String(record.headers().lastHeader("ce_id").value(), StandardCharsets.UTF_8));
    }

    private boolean isAtEnd() {
        return consumer.endOffsets(consumer.assignment()).entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }

    /** Fails if reading has failed. */
    void check() {
        if (ended.isCompletedExceptionally()) {
            ended.join();
        }
    }

    /** Nothing is sent any more: reads what is there and ends. */
    void readToEnd() throws InterruptedException {
        readingToEnd = true;
        thread.join();
        check();
    }

    @Override
    public void close() {
        if (thread.getState() == Thread.State.NEW) {
            consumer.close();
            return;
        }
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
