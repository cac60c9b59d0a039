package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Measures how late retries and scheduled events are sent beside a poll of five seconds, by the database's clock, and writes it
 * to {@code target/due-lateness.txt}. Asserts only that everything comes: figures are for reading, on a machine whose load
 * stands beside them.
 */
@Tag(Torture.ONLY)
class DueLatenessTest {
    private static final int EVENTS = Integer.getInteger("postrider.lateness.events", 40);
    private static final int RETRIES = 5;
    private static final Path REPORT = Path.of("target", "due-lateness.txt");

    /** Long enough that a relay that looks every five seconds has seen it before, also when it is slow. */
    private static final Duration SEEN_BEFORE = Duration.ofSeconds(9);

    enum Kind {
        CLAIM_POSTGRES,
        CLAIM_MARIADB,
        LOG
    }

    private final Map<String, List<Double>> late = new ConcurrentHashMap<>();

    @ParameterizedTest
    @EnumSource
    void everythingIsSent(Kind kind) throws Exception {
        try (TestDatabase database = open(kind);
                Destination destination = new Destination(kind, database)) {
            Relay relay = Relay.builder(database.dataSource(), destination)
                    .settings(RelaySettings.builder()
                            .name("relay")
                            .pollInterval(Duration.ofSeconds(5))
                            .polling(RelaySettings.Polling.FIXED)
                            .leaseLength(Duration.ofMinutes(1))
                            .retry(new Backoff(Duration.ofMillis(100), 2, Duration.ofMillis(1600), 0, 1000))
                            .build())
                    .build();
            double load = load();
            relay.start();
            try {
                // Until the relay is at work, a start is measured.
                write(database, "first", null);
                await().until(() -> {
                    relay.nudge();
                    return destination.accepted.containsKey("first");
                });
                for (int i = 0; i < EVENTS; i++) {
                    write(database, "retry-" + i, null);
                    relay.nudge();
                    // By Java: the relay is called after the commit.
                    write(database, "java-" + i, now().plusMillis(500 + i * 37L));
                    relay.nudge();
                    insert(database, "sql-" + i, now().plus(SEEN_BEFORE).plusMillis(i * 37L));
                    TimeUnit.MILLISECONDS.sleep(100);
                }
                await().atMost(Duration.ofMinutes(5)).until(() -> destination.accepted.size() == 3 * EVENTS + 1);
            } finally {
                relay.stop();
            }
            report(kind, load);
        }
        assertThat(late.get("retry after 1600 ms")).hasSize(EVENTS);
        assertThat(late.get("scheduled by Java")).hasSize(EVENTS);
        assertThat(late.get("scheduled by SQL")).hasSize(EVENTS);
    }

    private static TestDatabase open(Kind kind) {
        return switch (kind) {
            case CLAIM_POSTGRES -> TestDatabase.withOutbox(TestServer.POSTGRES);
            case CLAIM_MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
            case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
        };
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** The servers run on this machine: its clock is theirs. */
    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    private static void write(TestDatabase database, String key, Instant due) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder()
                    .source("lateness")
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.a.b.v1")
                                    .aggregate("a", key)
                                    .json("{\"due\": \"" + due + "\"}")
                                    .deliverAfter(due)
                                    .build());
            connection.commit();
        }
    }

    private static void insert(TestDatabase database, String key, Instant due) {
        String literal = database.server() == TestServer.MARIADB
                ? "'" + due.toString().replace("T", " ").replace("Z", "") + "'"
                : "'" + due + "'";
        database.execute(
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at) values"
                        + " ('acme.a.b.v1', 'a', '" + key + "', '{\"due\": \"" + due + "\"}', " + literal + ")");
    }

    /** Takes the time first, and asks for the due time on another thread, while the event counts as being sent. */
    private final class Destination implements Publisher {
        private final Kind kind;
        private final TestDatabase database;
        private final ExecutorService answers = Executors.newFixedThreadPool(2);
        private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
        private final Map<String, Instant> accepted = new ConcurrentHashMap<>();

        Destination(Kind kind, TestDatabase database) {
            this.kind = kind;
            this.database = database;
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            Instant sent = Instant.now();
            return CompletableFuture.supplyAsync(() -> answer(event, sent), answers);
        }

        private PublishResult answer(OutboxEvent event, Instant sent) {
            String key = event.aggregateId();
            if (key.startsWith("retry-")) {
                int attempt = attempts.merge(key, 1, Integer::sum) - 1;
                if (attempt > 0) {
                    note("retry after " + (100 << (attempt - 1)) + " ms", dueTimeOf(key), sent);
                }
                if (attempt < RETRIES) {
                    return new PublishResult.Rejected("not yet", false);
                }
            } else if (!key.equals("first")) {
                Instant due = Instant.parse(event.payload().text().split("\"")[3]);
                note(key.startsWith("java-") ? "scheduled by Java" : "scheduled by SQL", due, sent);
            }
            accepted.put(key, sent);
            return new PublishResult.Accepted();
        }

        private Instant dueTimeOf(String key) {
            String micros = database.one(
                    switch (kind) {
                        case CLAIM_POSTGRES ->
                            "select (extract(epoch from next_attempt_at) * 1000000)::bigint from outbox where aggregate_id = '"
                                    + key + "'";
                        case CLAIM_MARIADB ->
                            "select timestampdiff(microsecond, '1970-01-01', next_attempt_at) from outbox where aggregate_id = '"
                                    + key + "'";
                        case LOG ->
                            "select (extract(epoch from p.next_attempt_at) * 1000000)::bigint from outbox_parked p"
                                    + " join outbox o on o.id = p.outbox_id where o.aggregate_id = '" + key + "'";
                    });
            return Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
        }

        private void note(String what, Instant due, Instant sent) {
            late.computeIfAbsent(what, name -> java.util.Collections.synchronizedList(new ArrayList<>()))
                    .add(Duration.between(due, sent).toNanos() / 1e6);
        }

        @Override
        public String destination(OutboxEvent event) {
            return "measured";
        }

        @Override
        public boolean mayFollowInFlight(OutboxEvent event, String destination) {
            return false;
        }

        @Override
        public boolean stopsAtFailure() {
            return false;
        }

        @Override
        public void halt() {}

        @Override
        public void resume() {}

        @Override
        public void close() {
            answers.shutdown();
        }
    }

    private void report(Kind kind, double loadBefore) throws IOException {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s, %d processors, load %.1f before and %.1f after; milliseconds late%n%-22s %6s %8s %8s %8s %8s%n",
                kind,
                Runtime.getRuntime().availableProcessors(),
                loadBefore,
                load(),
                "",
                "events",
                "min",
                "p50",
                "p99",
                "max"));
        new TreeMap<>(late).forEach((what, values) -> {
            List<Double> sorted = values.stream().sorted().toList();
            text.append(String.format(
                    Locale.ROOT,
                    "%-22s %6d %8.1f %8.1f %8.1f %8.1f%n",
                    what,
                    sorted.size(),
                    sorted.get(0),
                    sorted.get(sorted.size() / 2),
                    sorted.get((int) Math.ceil(sorted.size() * 0.99) - 1),
                    sorted.get(sorted.size() - 1)));
        });
        System.out.println(text);
        Files.writeString(REPORT, text + System.lineSeparator(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
