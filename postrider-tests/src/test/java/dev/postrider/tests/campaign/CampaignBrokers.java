package dev.postrider.tests.campaign;

import dev.postrider.devservices.DevKafka;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** One broker, which relays reach over a wire, or three without one. Topics are made by whoever wants them. */
final class CampaignBrokers implements AutoCloseable {
    static final int PARTITIONS = 6;

    /** Large events fit, rejected ones do not. */
    static final int MAX_MESSAGE_BYTES = 500_000;

    private static final Duration DELETION = Duration.ofSeconds(30);

    private final DevKafka kafka;
    private final @Nullable Wire wire;

    private CampaignBrokers(DevKafka kafka, @Nullable Wire wire) {
        this.kafka = kafka;
        this.wire = wire;
    }

    static CampaignBrokers one() {
        Wire wire = new Wire();
        int behind = Ports.free();
        DevKafka kafka = settings().behindProxy(behind, wire.port()).start();
        wire.to(behind);
        return new CampaignBrokers(kafka, wire);
    }

    static CampaignBrokers three() {
        return new CampaignBrokers(
                settings().brokers(3).setting("min.insync.replicas", "2").start(), null);
    }

    private static DevKafka.Builder settings() {
        return DevKafka.builder()
                // Of a transaction that a killed relay has left open, others are told soon.
                .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000")
                .setting("quota.window.num", "3")
                .setting("auto.create.topics.enable", "false");
    }

    /** What relays bootstrap from. */
    String forRelays() {
        return wire == null ? kafka.bootstrapServers() : "127.0.0.1:" + wire.port();
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    Wire wire() {
        if (wire == null) {
            throw new IllegalStateException("three brokers have no wire");
        }
        return wire;
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    /** One broker, or one or two of three; then all are back. */
    boolean kill(Random random) throws InterruptedException {
        int first = 1 + random.nextInt(kafka.brokers());
        int second = 1 + random.nextInt(kafka.brokers());
        List<Integer> killed = first == second ? List.of(first) : List.of(first, second);
        killed.forEach(kafka::kill);
        Thread.sleep(random.nextInt(1_500));
        killed.forEach(kafka::start);
        return true;
    }

    /** Topics under a prefix, and their partitions. */
    List<TopicPartition> createTopics(String prefix, String... topics) throws ExecutionException, InterruptedException {
        Map<String, String> settings = new HashMap<>();
        settings.put("max.message.bytes", Integer.toString(MAX_MESSAGE_BYTES));
        // A long campaign need not keep what has been read long ago.
        settings.put("segment.bytes", Integer.toString(16 << 20));
        settings.put("retention.bytes", Integer.toString(64 << 20));
        try (Admin admin = admin()) {
            admin.createTopics(List.of(topics).stream()
                            .map(topic ->
                                    new NewTopic(prefix + topic, PARTITIONS, (short) kafka.brokers()).configs(settings))
                            .toList())
                    .all()
                    .get();
        }
        return List.of(topics).stream()
                .flatMap(topic -> IntStream.range(0, PARTITIONS).mapToObj(n -> new TopicPartition(prefix + topic, n)))
                .toList();
    }

    /** Returns when no broker knows it any more. */
    void deleteTopic(String topic) throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
            long deadline = System.nanoTime() + DELETION.toNanos();
            while (names(admin).contains(topic)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("topic " + topic + " was not deleted");
                }
                Thread.sleep(20);
            }
        }
    }

    private static Collection<String> names(Admin admin) throws ExecutionException, InterruptedException {
        return Collections.unmodifiableCollection(admin.listTopics().names().get());
    }

    @Override
    public void close() {
        if (wire != null) {
            wire.close();
        }
        kafka.close();
    }
}
