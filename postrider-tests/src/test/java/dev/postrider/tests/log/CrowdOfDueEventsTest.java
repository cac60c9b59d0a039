package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.LogTables;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events that are due and cannot be sent, more of them than a relay looks at together, are in nobody's way. */
class CrowdOfDueEventsTest {
    private static final int KEYS = 250;

    private final LogOutbox outbox = new LogOutbox(1);
    private final LogTables tables = new LogTables(outbox.database());

    @BeforeEach
    void parkTwoEventsOfEachKey() {
        outbox.insertMany(2 * KEYS, KEYS);
        tables.readAll();
        // The second of each key has failed and is due for long.
        outbox.database()
                .column("select id from outbox where id > " + KEYS)
                .forEach(id -> tables.fail(Long.parseLong(id)));
        outbox.database().execute("update outbox_parked set next_attempt_at = clock_timestamp() - interval '1 hour'");
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void retriesBehindBlockedEventsDoNotHideWhatIsScheduled() {
        parkTheFirstOfEachKey("BLOCKED", "'missing'", "null");
        parkOneThatIsDueNow();
        RecordingPublisher publisher = RecordingPublisher.answering(event -> isOfTheCrowd(event)
                ? new PublishResult.Blocked("missing", "missing", "There is none.")
                : new PublishResult.Accepted());
        outbox.start(publisher);

        await().until(() -> publisher.acceptedBodies().equals(List.of("0")));
        await().until(() -> outbox.database()
                .column("select distinct state from outbox_parked order by state")
                .equals(List.of("BLOCKED", "QUEUED")));
        assertThat(outbox.database().one("select count(*) from outbox_parked where state = 'QUEUED' and attempts = 3"))
                .as("with what they have cost so far")
                .isEqualTo(Integer.toString(KEYS));

        publisher.answer(event -> new PublishResult.Accepted());

        await().until(outbox::isDone);
        assertInOrder(publisher);
    }

    @Test
    void retriesBehindDeadLettersThatHoldTheirKeysDoNotHideWhatIsScheduled() {
        parkTheFirstOfEachKey("DEAD", "null", "null");
        parkOneThatIsDueNow();
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        outbox.start(publisher);

        await().until(() -> publisher.acceptedBodies().equals(List.of("0")));

        outbox.database().execute("update outbox_parked set state = 'RETRY' where state = 'DEAD'");

        await().until(outbox::isDone);
        assertInOrder(publisher);
    }

    @Test
    void retriesBehindRetriesThatAreNotDueDoNotHideWhatIsScheduled() {
        parkTheFirstOfEachKey("FAILED", "null", "clock_timestamp() + interval '1 hour'");
        parkOneThatIsDueNow();
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        outbox.start(publisher);

        await().until(() -> publisher.acceptedBodies().equals(List.of("0")));

        outbox.database()
                .execute("update outbox_parked set next_attempt_at = clock_timestamp() where state = 'FAILED'");

        await().until(outbox::isDone);
        assertInOrder(publisher);
    }

    @Test
    void retriesThatFailAgainAndAgainLeaveRoomForTheLog() {
        RecordingPublisher publisher = RecordingPublisher.answering(event ->
                isOfTheCrowd(event) ? new PublishResult.Rejected("not yet", false) : new PublishResult.Accepted());
        outbox.start(
                publisher,
                LogOutbox.settings("relay")
                        .batchSize(1)
                        .retry(new Backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1), 0, 1_000_000)));
        outbox.insert("healthy", 0);

        await().until(() -> publisher.acceptedBodies().equals(List.of("0")));
    }

    private void parkTheFirstOfEachKey(String state, String destination, String due) {
        outbox.database()
                .execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds, destination,"
                        + " next_attempt_at) select id, 0, key_hash, '" + state + "', true, " + destination + ", " + due
                        + " from outbox where id <= " + KEYS);
    }

    private void parkOneThatIsDueNow() {
        outbox.database()
                .execute("with one as (insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " values ('acme.a.b.v1', 'a', 'healthy', '0') returning id, key_hash)"
                        + " insert into outbox_parked (outbox_id, shard, key_hash, state, holds, next_attempt_at)"
                        + " select id, 0, key_hash, 'SCHEDULED', false, clock_timestamp() from one");
        tables.readAll();
    }

    private static boolean isOfTheCrowd(OutboxEvent event) {
        return event.aggregateId().startsWith("key-");
    }

    private static void assertInOrder(RecordingPublisher publisher) {
        Map<String, List<Integer>> bodies = publisher.accepted().stream()
                .filter(CrowdOfDueEventsTest::isOfTheCrowd)
                .collect(Collectors.groupingBy(
                        OutboxEvent::aggregateId,
                        Collectors.mapping(
                                event -> Integer.valueOf(event.payload().text()), Collectors.toList())));
        assertThat(bodies).hasSize(KEYS);
        assertThat(bodies.values()).allSatisfy(of -> assertThat(of).hasSize(2).isSorted());
    }
}
