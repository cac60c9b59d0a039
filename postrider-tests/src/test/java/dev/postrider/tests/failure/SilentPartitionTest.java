package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.Torture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker that stands still, and that the others have not noticed yet: its partitions have a leader, and give no answer. */
@Tag(Torture.ONLY)
class SilentPartitionTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int KEYS = 50;

    private final Queue<OutboxEvent> published = new ConcurrentLinkedQueue<>();
    private volatile Map<String, String> blocked = Map.of();

    @Test
    void withExactlyOnceAPartitionThatDoesNotAnswerHoldsBackItsOwnKeysOnly() throws Exception {
        try (DevKafka kafka = DevKafka.builder()
                        .brokers(3)
                        .setting("broker.session.timeout.ms", "900000")
                        .setting("transaction.state.log.num.partitions", "1")
                        .setting("transaction.state.log.replication.factor", "1")
                        .setting("transaction.state.log.min.isr", "1")
                        .setting("default.replication.factor", "1")
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
                TestDatabase database =
                        TestDatabase.withOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE))) {
            Relay relay = start(database, kafka);
            try {
                await().atMost(PATIENCE).until(() -> !positionsTopics(admin).isEmpty());
                // The relay needs neither for its transactions.
                Set<Integer> needed = Set.copyOf(
                        List.of(leader(admin, positionsTopics(admin).get(0)), leader(admin, "__transaction_state")));
                int silent = List.of(1, 2, 3).stream()
                        .filter(broker -> !needed.contains(broker))
                        .findFirst()
                        .orElseThrow();
                create(admin, "bad-events", silent);
                create(admin, "good-events", needed.iterator().next());
                write(database, "good", 1);
                await().atMost(PATIENCE).until(() -> published.size() == 1);
                signal("STOP", kafka.pid(silent));
                try {
                    write(database, "bad", KEYS);
                    write(database, "good", KEYS);
                    await().atMost(PATIENCE).until(() -> published.size() == 1 + KEYS);
                    assertThat(published).allMatch(event -> event.type().contains("good"));
                    await().atMost(PATIENCE).until(() -> blocked.equals(Map.of("bad-events/0", "no answer")));
                } finally {
                    signal("CONT", kafka.pid(silent));
                }
                await().atMost(PATIENCE).until(() -> published.size() == 1 + 2 * KEYS);
                await().atMost(PATIENCE).until(() -> blocked.isEmpty());
            } finally {
                relay.stop();
            }
        }
    }

    private Relay start(TestDatabase database, DevKafka kafka) {
        Relay relay = Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(kafka.bootstrapServers()).build())
                .settings(RelaySettings.builder()
                        .pollInterval(Duration.ofMillis(50))
                        .leaseLength(Duration.ofMinutes(10))
                        .build())
                .listener(new RelayListener() {
                    @Override
                    public void published(OutboxEvent event, Duration latency) {
                        published.add(event);
                    }

                    @Override
                    public void blocked(Map<String, String> destinations) {
                        blocked = destinations;
                    }
                })
                .build();
        relay.start();
        return relay;
    }

    private static List<String> positionsTopics(Admin admin) throws Exception {
        return admin.listTopics().names().get().stream()
                .filter(name -> name.startsWith(KafkaPublisher.POSITIONS_PREFIX))
                .toList();
    }

    private static int leader(Admin admin, String topic) throws Exception {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> leaderOrNobody(admin, topic) >= 0);
        return leaderOrNobody(admin, topic);
    }

    private static int leaderOrNobody(Admin admin, String topic) throws Exception {
        var leader = admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions()
                .get(0)
                .leader();
        return leader == null ? -1 : leader.id();
    }

    private static void create(Admin admin, String topic, int broker) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, Map.of(0, List.of(broker)))))
                .all()
                .get();
        leader(admin, topic);
    }

    private static void signal(String signal, long pid) throws Exception {
        int code = new ProcessBuilder("kill", "-" + signal, String.valueOf(pid))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(code).isZero();
    }

    private static void write(TestDatabase database, String kind, int keys) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) select 'acme." + kind
                + ".thing.v1', '" + kind + "', '" + kind + "-' || n, '1' from "
                + database.server().numbers(1, keys));
    }
}
