package dev.postrider.tests.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.webhook.WebhookPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two relays, a server that has moods, and a wire to it that tears: nothing is lost, and no key gets out of order. */
class MoodyWebhookTest {
    private static final int EVENTS = 2_400;
    private static final int KEYS = 36;

    /** Each kind, for each piece that passes; a request and its answer are three. */
    private static final double FAULTS = 0.002;

    @ParameterizedTest
    @ValueSource(strings = {"claim", "log"})
    void nothingIsLostAndNoKeyIsReorderedWhateverTheServerDoes(String mode) throws Exception {
        long seed = Long.getLong("postrider.seed", new Random().nextLong());
        System.out.println("MoodyWebhookTest " + mode + ": -Dpostrider.seed=" + seed);
        Random random = new Random(seed);
        Set<Integer> refused = new TreeSet<>(
                random.ints(1, EVENTS + 1).limit(EVENTS / 100).boxed().toList());
        OutboxLayout layout = mode.equals("log") ? OutboxLayout.log(4) : OutboxLayout.claim();

        try (TestDatabase database = TestDatabase.withOutbox(layout);
                MoodyServer server = new MoodyServer(random, refused::contains);
                FaultyWire wire = new FaultyWire(server.address(), random, FAULTS)) {
            try (Relay one = relay(database, wire, "one");
                    Relay two = relay(database, wire, "two")) {
                one.start();
                two.start();
                for (int from = 1; from <= EVENTS; from += EVENTS / 10) {
                    insert(database, from, from + EVENTS / 10 - 1);
                }
                await().atMost(Duration.ofMinutes(3))
                        .pollInterval(Duration.ofMillis(100))
                        .until(() -> isOver(database, server, refused.size()));
            }
            System.out.println("answers " + server.answers() + ", resets " + wire.resets() + ", hangs " + wire.hangs());

            Set<Integer> accepted =
                    server.accepted().stream().map(MoodyServer.Event::n).collect(Collectors.toSet());
            Set<Integer> all = IntStream.rangeClosed(1, EVENTS).boxed().collect(Collectors.toCollection(HashSet::new));
            all.removeAll(refused);
            assertThat(accepted).isEqualTo(all);
            assertThat(dead(database)).isEqualTo(refused);
            assertThat(reordered(server.accepted())).isEmpty();
            assertThat(server.answers().keySet()).contains(200, 400, 429, 500);
            assertThat(wire.resets()).isPositive();
            assertThat(wire.hangs()).isPositive();
        }
    }

    private static Relay relay(TestDatabase database, FaultyWire wire, String name) {
        WebhookPublisher publisher = WebhookPublisher.builder()
                .url(wire.url() + "/events")
                .timeout(Duration.ofMillis(500))
                .build();
        return Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name(name)
                        .batchSize(200)
                        .pollInterval(Duration.ofMillis(50))
                        .retry(new Backoff(Duration.ofMillis(50), 1, Duration.ofMillis(50), 0, 2))
                        .circuit(new CircuitSettings(10, 5, 50, Duration.ofMillis(100), 3))
                        .leaseLength(Duration.ofSeconds(6))
                        .build())
                .build();
    }

    private static void insert(TestDatabase database, int from, int to) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.a.b.v1', 'a', 'key-' || n % " + KEYS + ", json_build_object('n', n)"
                + " from generate_series(" + from + ", " + to + ") n");
    }

    private static boolean isOver(TestDatabase database, MoodyServer server, int refused) {
        long accepted = server.accepted().stream().distinct().count();
        return accepted == EVENTS - refused && dead(database).size() == refused;
    }

    private static Set<Integer> dead(TestDatabase database) {
        return database.column("select payload ->> 'n' from outbox_dead_letter").stream()
                .map(Integer::valueOf)
                .collect(Collectors.toSet());
    }

    /** Events whose first acceptance came after that of a later one of their key. */
    private static Set<MoodyServer.Event> reordered(List<MoodyServer.Event> accepted) {
        Map<String, Integer> latest = new HashMap<>();
        Set<MoodyServer.Event> seen = new HashSet<>();
        Set<MoodyServer.Event> reordered = new HashSet<>();
        for (MoodyServer.Event event : accepted) {
            if (seen.add(event) && event.n() < latest.merge(event.key(), event.n(), Math::max)) {
                reordered.add(event);
            }
        }
        return reordered;
    }
}
