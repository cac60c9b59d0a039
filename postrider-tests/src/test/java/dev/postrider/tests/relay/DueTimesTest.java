package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A relay that looks at the table every ten minutes sends what is due when it is due. */
@ParameterizedClass
@EnumSource
class DueTimesTest {
    private static final Duration POLL = Duration.ofMinutes(10);

    enum Kind {
        CLAIM_POSTGRES,
        CLAIM_MARIADB,
        LOG
    }

    @Parameter
    private Kind kind;

    private TestDatabase database;
    private final List<Relay> relays = new ArrayList<>();

    @BeforeEach
    void open() {
        database = switch (kind) {
            case CLAIM_POSTGRES -> TestDatabase.withOutbox(TestServer.POSTGRES);
            case CLAIM_MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
            case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
        };
    }

    @AfterEach
    void close() {
        relays.forEach(Relay::stop);
        database.close();
    }

    /** How late each retry was, by the database's clock, is asked while it is being sent. */
    @Test
    void retriesAreSentWhenTheyAreDue() {
        insert("a", "1", null);
        List<Double> late = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger attempts = new AtomicInteger();
        RecordingPublisher publisher = RecordingPublisher.answering(event -> {
            if (attempts.getAndIncrement() == 0) {
                return new PublishResult.Rejected("not at once", false);
            }
            late.add(Double.parseDouble(database.one(secondsLate())));
            return late.size() < 7 ? new PublishResult.Rejected("not yet", false) : new PublishResult.Accepted();
        });
        start("relay", publisher, Duration.ofMillis(100));

        await().until(() -> publisher.acceptedBodies().contains("1"));
        List<Double> sorted = late.stream().sorted().toList();
        assertThat(sorted.get(0)).as("none too early: " + late).isGreaterThanOrEqualTo(0);
        assertThat(sorted.get(sorted.size() / 2))
                .as("usually, in seconds: " + late)
                .isLessThan(0.5);
    }

    @Test
    void whatAWriterHasScheduledIsSentWhenItIsDue() {
        insert("a", "1", 1500);
        insert("b", "2", 3000);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        Relay relay = start("relay", publisher, Duration.ofMillis(100));
        await().until(() -> publisher.acceptedBodies().contains("2"));
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");

        insert("c", "3", 1500);
        relay.nudge();
        await().until(() -> publisher.acceptedBodies().contains("3"));
    }

    @Test
    void whatWaitsBehindARetryFollowsItAtOnce() {
        insert("a", "1", null);
        insert("a", "2", null);
        insert("a", "3", null);
        RecordingPublisher publisher = refusingEachOnce(Set.of("1"));
        start("relay", publisher, Duration.ofMillis(100));

        await().until(() -> publisher.accepted().size() == 3);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3");
    }

    @Test
    void manyKeysThatAreDueAtTheSameTimeAllHaveTheirTurn() {
        List<String> bodies =
                IntStream.range(0, 500).mapToObj(Integer::toString).toList();
        String rows = String.join(
                ", ",
                bodies.stream()
                        .map(body -> "('acme.a.b.v1', 'a', 'key-" + body + "', '" + body + "')")
                        .toList());
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values " + rows);
        RecordingPublisher publisher = refusingEachOnce(Set.copyOf(bodies));
        start("relay", publisher, Duration.ofMillis(200));

        await().until(() -> publisher.accepted().size() == bodies.size());
    }

    @Test
    void retryOfARelayThatIsGoneIsSentByOneThatHasNothingToDo() {
        AtomicBoolean isGone = new AtomicBoolean();
        AtomicInteger met = new AtomicInteger();
        // It may look for the first time when there is something.
        RecordingPublisher idle = RecordingPublisher.answering(
                event -> isGone.get() ? new PublishResult.Accepted() : new PublishResult.Rejected("not yet", false));
        RecordingPublisher failing = RecordingPublisher.answering(event -> {
            met.incrementAndGet();
            return new PublishResult.Rejected("no", false);
        });
        if (kind != Kind.LOG) {
            // It has looked at the table before there was anything in it.
            start("idle", idle, Duration.ofMillis(100));
            await().until(() ->
                    database.one("select count(*) from outbox_lease").equals("1"));
        }
        Relay other = start("other", failing, Duration.ofSeconds(3));
        insert("a", "1", null);
        await().until(() -> {
            other.nudge();
            return met.get() > 0 && hasFailed();
        });
        other.stop();
        isGone.set(true);
        if (kind == Kind.LOG) {
            start("idle", idle, Duration.ofMillis(100));
        }

        await().until(() -> idle.acceptedBodies().contains("1"));
    }

    private boolean hasFailed() {
        String failed = kind == Kind.LOG
                ? "select count(*) from outbox_parked where state = 'FAILED'"
                : "select count(*) from outbox where status = 'FAILED'";
        return database.one(failed).equals("1");
    }

    private String secondsLate() {
        return switch (kind) {
            case CLAIM_POSTGRES -> "select extract(epoch from locked_at - next_attempt_at) from outbox";
            case CLAIM_MARIADB ->
                "select timestampdiff(microsecond, next_attempt_at, locked_at) / 1000000.0 from outbox";
            case LOG -> "select extract(epoch from clock_timestamp() - next_attempt_at) from outbox_parked";
        };
    }

    private static RecordingPublisher refusingEachOnce(Set<String> bodies) {
        Set<String> refused = ConcurrentHashMap.newKeySet();
        return RecordingPublisher.answering(event -> isFirst(event, bodies, refused)
                ? new PublishResult.Rejected("not at once", false)
                : new PublishResult.Accepted());
    }

    private static boolean isFirst(OutboxEvent event, Set<String> bodies, Set<String> refused) {
        String body = event.payload().text();
        return bodies.contains(body) && refused.add(body);
    }

    private Relay start(String name, RecordingPublisher publisher, Duration retryAfter) {
        Relay relay = Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name(name)
                        .pollInterval(POLL)
                        .polling(RelaySettings.Polling.FIXED)
                        .leaseLength(Duration.ofMinutes(1))
                        .retry(new Backoff(retryAfter, 1, retryAfter, 0, 1000))
                        .build())
                .build();
        relays.add(relay);
        relay.start();
        return relay;
    }

    private void insert(String key, String body, Integer delayMillis) {
        String due = delayMillis == null
                ? "null"
                : kind == Kind.CLAIM_MARIADB
                        ? "utc_timestamp(6) + interval " + delayMillis * 1000 + " microsecond"
                        : "clock_timestamp() + interval '" + delayMillis + " milliseconds'";
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "', " + due + ")");
    }
}
