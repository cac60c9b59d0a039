package dev.postrider.tests.campaign;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Reads committed records with Kafka's plain consumer, on a thread of its own, and tells the ledger. */
final class CampaignConsumer implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(60);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Set<TopicPartition> partitions = ConcurrentHashMap.newKeySet();
    private final Ledger ledger;
    private final Queue<Order> orders = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "campaign-consumer");
    private volatile @Nullable Map<TopicPartition, Long> end;

    /** To be carried out by the thread that reads. */
    private record Order(Runnable what, CompletableFuture<Void> done) {}

    private volatile @Nullable RuntimeException failure;
    private volatile boolean closed;

    CampaignConsumer(String bootstrapServers, List<TopicPartition> partitions, Ledger ledger) {
        this.partitions.addAll(partitions);
        this.ledger = ledger;
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
                        ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "200"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(partitions);
        partitions.forEach(partition -> consumer.seek(partition, 0));
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try (consumer) {
            while (!closed && !isAtEnd()) {
                for (Order order = orders.poll(); order != null; order = orders.poll()) {
                    order.what().run();
                    order.done().complete(null);
                }
                consumer.poll(POLL).forEach(this::tell);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Reads these partitions no longer: their topic is about to be deleted. */
    void forget(Collection<TopicPartition> some) {
        order(() -> {
            partitions.removeAll(some);
            consumer.assign(partitions);
        });
    }

    /** Reads these partitions from their beginning. */
    void follow(Collection<TopicPartition> some) {
        order(() -> {
            partitions.addAll(some);
            consumer.assign(partitions);
            some.forEach(partition -> consumer.seek(partition, 0));
        });
    }

    private void order(Runnable what) {
        Order order = new Order(what, new CompletableFuture<>());
        orders.add(order);
        order.done().orTimeout(LONGEST_POLL.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private void tell(ConsumerRecord<byte[], byte[]> record) {
        Header id = record.headers().lastHeader("ce_id");
        try {
            ledger.received(UUID.fromString(new String(id.value(), StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException | NullPointerException e) {
            ledger.receivedStrange();
        }
    }

    private boolean isAtEnd() {
        Map<TopicPartition, Long> wanted = end;
        return wanted != null
                && wanted.entrySet().stream().allMatch(one -> consumer.position(one.getKey()) >= one.getValue());
    }

    /** Nothing is sent any more: reads up to the high watermark, behind every transaction. */
    void readToEnd(Admin admin, Duration limit) throws ExecutionException, InterruptedException {
        end = admin
                .listOffsets(partitions.stream().collect(Collectors.toMap(one -> one, one -> OffsetSpec.latest())))
                .all()
                .get()
                .entrySet()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, one -> offset(one.getValue())));
        thread.join(limit.toMillis());
        if (failure != null) {
            throw failure;
        }
        if (thread.isAlive()) {
            throw new AssertionError("A transaction is still open, and what is behind it was not read.");
        }
    }

    private static long offset(ListOffsetsResult.ListOffsetsResultInfo info) {
        return info.offset();
    }

    /** Fails if reading has failed. */
    void check() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
