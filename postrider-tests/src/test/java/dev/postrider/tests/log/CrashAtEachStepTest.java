package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.log.CrashingRelay.Step;
import dev.postrider.tests.log.CrashingRelay.Step.Moment;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import dev.postrider.tests.support.Torture;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A relay dies at a step of taking a shard over, of a batch or of a retry, and another takes over: with the steps of
 * exactly-once delivery every event arrives once, with those of at-least-once at least once, always in the order of its key.
 */
@Tag(Torture.ALSO)
class CrashAtEachStepTest {
    private static final int KEYS = 3;
    private static final int PER_KEY = 8;

    private final TestTopics topics = new TestTopics("crash");

    /** Other tests of the process look at its threads. */
    @AfterEach
    void theDeadLeaveNoThreads() {
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .noneMatch(name -> name.startsWith("postrider-mortal")
                        || name.equals("mortal")
                        || name.startsWith("postrider-kafka-flush")));
    }

    static Stream<Step> stepsOfExactlyOnce() {
        List<Step> steps = new ArrayList<>();
        for (String takingOver : List.of("cursor", "fence", "takeOver", "reconcile", "holds")) {
            steps.add(new Step(takingOver, 1, Moment.AFTER));
        }
        steps.add(new Step("publish", 1, Moment.BEFORE));
        steps.add(new Step("publish", 10, Moment.AFTER));
        steps.add(new Step("abort", 1, Moment.BEFORE));
        steps.add(new Step("abort", 1, Moment.AFTER));
        // Recording and committing come in turn: what the first try left of the batch, the refused event with others,
        // the deletion of its row. The first commit of all is that of the position to begin with.
        steps.add(new Step("commit", 1, Moment.BEFORE));
        for (int batch = 1; batch <= (Torture.isOn() ? 3 : 1); batch++) {
            steps.add(new Step("append", batch, Moment.BEFORE));
            steps.add(new Step("append", batch, Moment.AFTER));
            steps.add(new Step("commit", batch + 1, Moment.AFTER));
            steps.add(new Step("commit", batch + 1, Moment.UNKNOWN_DONE));
            steps.add(new Step("commit", batch + 1, Moment.UNKNOWN_NOT_DONE));
        }
        return steps.stream();
    }

    @ParameterizedTest
    @MethodSource("stepsOfExactlyOnce")
    void exactlyOnceMeansOnceWhereverARelayDies(Step step) throws Exception {
        List<List<String>> keys = deliver(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE), step);

        for (List<String> key : keys) {
            assertThat(key).as(step.toString()).containsExactlyElementsOf(written());
        }
    }

    static Stream<Step> stepsWithARefusalBeforeAnEventIsSent() {
        return Stream.of(
                new Step("append", 1, Moment.AFTER),
                new Step("commit", 2, Moment.AFTER),
                new Step("commit", 2, Moment.UNKNOWN_DONE),
                new Step("commit", 3, Moment.AFTER));
    }

    /** Then the transaction is committed without it, and without those behind it. */
    @ParameterizedTest
    @MethodSource("stepsWithARefusalBeforeAnEventIsSent")
    void exactlyOnceMeansOnceAlsoIfAnEventIsRefusedBeforeItIsSent(Step step) throws Exception {
        String refused = body(2).replace("true", '"' + CrashingRelay.BEFORE_IT_IS_SENT + '"');
        Map<String, List<String>> byKey =
                deliver(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE), step, database -> {
                    for (int number = 0; number < PER_KEY; number++) {
                        for (int key = 0; key < KEYS; key++) {
                            write(database, "key-" + key, number == 2 ? refused : body(number));
                        }
                    }
                });

        for (int key = 0; key < KEYS; key++) {
            assertThat(byKey.get("key-" + key))
                    .as(step.toString())
                    .containsExactlyElementsOf(written().stream()
                            .map(body -> body.equals(body(2)) ? refused : body)
                            .toList());
        }
    }

    static Stream<Step> stepsOfAtLeastOnce() {
        List<Step> steps = new ArrayList<>();
        for (String takingOver : List.of("cursor", "fence", "holds")) {
            steps.add(new Step(takingOver, 1, Moment.AFTER));
        }
        steps.add(new Step("publish", 1, Moment.BEFORE));
        steps.add(new Step("publish", 10, Moment.AFTER));
        // What is put aside, and what was delivered from there; more may go into one append.
        for (int append = 1; append <= 2; append++) {
            steps.add(new Step("append", append, Moment.BEFORE));
            steps.add(new Step("append", append, Moment.AFTER));
        }
        return steps.stream();
    }

    @ParameterizedTest
    @MethodSource("stepsOfAtLeastOnce")
    void nothingIsLostOrReorderedWhereverARelayDies(Step step) throws Exception {
        List<List<String>> keys = deliver(OutboxLayout.log(1), step);

        for (List<String> key : keys) {
            assertThat(new LinkedHashSet<>(key)).as(step.toString()).containsExactlyElementsOf(written());
        }
    }

    /**
     * What is beside the log, and what joins it, is recorded every two seconds whatever is in flight. Here the second event
     * joins the queue of its key, and behind it one is in flight: a commit now would be of that one too, with a position
     * before it.
     */
    @Test
    void nothingIsCommittedWhileAnEventIsInFlight() throws Exception {
        Step step = new Step(Step.LOOK_AT_SHARDS_IN_FLIGHT, 3, Moment.BEFORE);
        Map<String, List<String>> byKey =
                deliver(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE), step, database -> {
                    write(database, "key-0", "{\"number\": 0, \"refused once\": true}");
                    write(database, "key-0", "{\"number\": 1}");
                    write(database, "key-1", "{\"unanswered\": true}");
                });

        assertThat(byKey.get("key-1")).containsExactly("{\"unanswered\": true}");
        assertThat(byKey.get("key-0")).containsExactly("{\"number\": 0, \"refused once\": true}", "{\"number\": 1}");
    }

    /** What arrived of each key, in order. */
    private List<List<String>> deliver(OutboxLayout layout, Step step) throws Exception {
        Map<String, List<String>> byKey = deliver(layout, step, CrashAtEachStepTest::write);
        return IntStream.range(0, KEYS)
                .mapToObj(key -> byKey.getOrDefault("key-" + key, List.of()))
                .toList();
    }

    private interface Writes {
        void to(TestDatabase database) throws SQLException;
    }

    private Map<String, List<String>> deliver(OutboxLayout layout, Step step, Writes writes) throws Exception {
        topics.create("order-events", 2);
        try (TestDatabase database = TestDatabase.withOutbox(layout)) {
            writes.to(database);
            String outboxId = database.one("select value from outbox_settings where name = 'outbox_id'");
            try (CrashingRelay mortal = new CrashingRelay(database.dataSource(), layout, outboxId, publisher(), step)) {
                assertThat(mortal.awaitCrash(Duration.ofSeconds(60)))
                        .as("the relay comes to the step " + step)
                        .isTrue();
                try (Relay successor = Relay.builder(database.dataSource(), publisher())
                        .settings(CrashingRelay.settings("successor"))
                        .build()) {
                    successor.start();
                    await().atMost(Duration.ofMinutes(1)).until(() -> isAllDelivered(database));
                }
            }
            return CommittedRecords.byKey(topics.partitions("order-events", 2));
        }
    }

    /** The cursor has passed everything, and nothing is left beside the log. */
    private static boolean isAllDelivered(TestDatabase database) {
        return database.one("""
                        select (select count(*) from outbox_parked) = 0
                               and not exists (
                                   select 1 from outbox o
                                   cross join (select * from outbox_cursor order by seq desc limit 1) c
                                   where not pg_visible_in_snapshot(o.tx_id, c.lo)
                                     and not (c.hi is not null and o.id <= c.last_id
                                              and pg_visible_in_snapshot(o.tx_id, c.hi)))
                        """).equals("t");
    }

    private KafkaPublisher publisher() {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .property("linger.ms", "0")
                .build();
    }

    private static List<String> written() {
        return IntStream.range(0, PER_KEY).mapToObj(CrashAtEachStepTest::body).toList();
    }

    /** The third event of every key; the relay refuses the first of these it meets. */
    private static String body(int number) {
        return "{\"number\": " + number + (number == 2 ? ", \"refused once\": true" : "") + "}";
    }

    private static void write(TestDatabase database, String key, String body) throws SQLException {
        try (Connection connection = database.transaction()) {
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", key)
                                    .json(body)
                                    .build());
            connection.commit();
        }
    }

    private static void write(TestDatabase database) throws SQLException {
        Outbox outbox = Outbox.builder().build();
        for (int number = 0; number < PER_KEY; number++) {
            try (Connection connection = database.transaction()) {
                for (int key = 0; key < KEYS; key++) {
                    outbox.write(
                            connection,
                            OutboxEvent.builder("acme.order.paid.v1")
                                    .aggregate("order", "key-" + key)
                                    .json(body(number))
                                    .build());
                }
                connection.commit();
            }
        }
    }
}
