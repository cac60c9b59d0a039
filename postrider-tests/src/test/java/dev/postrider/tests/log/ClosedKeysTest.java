package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events that fail close their key, and nothing else; operators and other relays find them beside the log. */
class ClosedKeysTest {
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path directory;

    private LogOutbox outbox;

    /** Bodies that are rejected as long as they are in here, and those that are so for good. */
    private final Set<String> rejected = ConcurrentHashMap.newKeySet();

    private final Set<String> hopeless = ConcurrentHashMap.newKeySet();

    private final RecordingPublisher publisher = RecordingPublisher.answering(this::answer);

    @BeforeEach
    void open() {
        outbox = new LogOutbox(2);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    private PublishResult answer(OutboxEvent event) {
        String body = event.payload().text();
        return rejected.contains(body) || hopeless.contains(body)
                ? new PublishResult.Rejected("no", hopeless.contains(body))
                : new PublishResult.Accepted();
    }

    @Test
    void eventsWhoseDestinationTakesNothingWaitAsReferencesAndGoOnInOrder() {
        publisher.answer(event -> event.aggregateId().equals("bad")
                ? new PublishResult.Blocked("topic", "missing", "There is none.")
                : new PublishResult.Accepted());
        outbox.insert("bad", 1, 2);
        outbox.insert("good", 3);
        Relay first = outbox.start(publisher);
        await().until(() -> outbox.ahead() == 0 && outbox.parked() == 2);
        outbox.insert("bad", 4);
        await().until(() -> outbox.parked() == 3);

        assertThat(publisher.acceptedBodies()).containsExactly("3");
        assertThat(outbox.parkedStates()).containsExactly("BLOCKED 1", "QUEUED 2", "QUEUED 4");
        assertThat(outbox.database()
                        .column("select coalesce(destination, '-') || ' ' || attempts || ' ' || (event_id is null)"
                                + " from outbox_parked order by outbox_id"))
                .containsExactly("topic 0 true", "- 0 true", "- 0 true");

        first.stop();
        outbox.start(publisher, LogOutbox.settings("second"));
        outbox.insert("good", 5);
        await().until(() -> publisher.acceptedBodies().contains("5"));
        publisher.answer(event -> new PublishResult.Accepted());

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("3", "5", "1", "2", "4");
    }

    @Test
    void rejectedEventHoldsBackOnlyItsKeyAndItsFollowersWaitAsReferences() {
        rejected.add("1");
        outbox.insert("bad", 1, 2, 3);
        outbox.insert("good", 4, 5);
        outbox.start(publisher);
        await().until(() -> outbox.ahead() == 0);

        assertThat(publisher.acceptedBodies()).containsExactly("4", "5");
        assertThat(outbox.parkedStates()).containsExactly("FAILED 1", "QUEUED 2", "QUEUED 3");
        assertThat(outbox.database()
                        .column("select coalesce(payload::text, 'no') || ' ' || (event_id is null) from outbox_parked"
                                + " order by outbox_id"))
                .as("only the failed one has its envelope there")
                .containsExactly("1 false", "no true", "no true");
        outbox.insert("bad", 6);
        outbox.insert("good", 7);
        await().until(() -> publisher.acceptedBodies().contains("7"));
        assertThat(publisher.acceptedBodies()).doesNotContain("6");

        rejected.clear();

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("4", "5", "7", "1", "2", "3", "6");
    }

    @Test
    void thousandFollowersWaitAndComeInOrder() {
        rejected.add("0");
        outbox.insert("key-0", 0);
        outbox.insertMany(3000, 3);
        outbox.start(publisher);

        await().atMost(Duration.ofMinutes(1)).until(() -> publisher.accepted().size() == 2000 && outbox.ahead() == 0);
        assertThat(outbox.parked()).isEqualTo(1001);
        assertThat(publisher.accepted()).noneMatch(event -> event.aggregateId().equals("key-0"));

        rejected.clear();

        await().atMost(Duration.ofMinutes(1)).until(outbox::isDone);
        List<String> expected = new ArrayList<>();
        expected.add("0");
        IntStream.rangeClosed(1, 1000).forEach(n -> expected.add(Integer.toString(3 * n)));
        assertThat(publisher.acceptedBodies().subList(2000, 3001)).isEqualTo(expected);
    }

    @Test
    void relayThatTakesOverKeepsClosedKeysClosed() {
        rejected.add("1");
        outbox.insert("bad", 1, 2);
        Relay first = outbox.start(publisher, LogOutbox.settings("first"));
        await().until(() -> outbox.parked() == 2);
        first.stop();
        outbox.insert("bad", 3);

        outbox.start(publisher, LogOutbox.settings("second"));
        await().until(() -> outbox.parked() == 3);
        outbox.insert("bad", 4);
        outbox.insert("good", 5);
        await().until(() -> outbox.ahead() == 0);
        assertThat(publisher.acceptedBodies()).containsExactly("5");
        assertThat(outbox.parkedStates()).containsExactly("FAILED 1", "QUEUED 2", "QUEUED 3", "QUEUED 4");

        rejected.clear();

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("5", "1", "2", "3", "4");
    }

    @Test
    void requestsOfOperatorsAreFulfilled() {
        rejected.add("1");
        rejected.add("3");
        outbox.insert("again", 1, 2);
        outbox.insert("away", 3, 4);
        outbox.start(publisher, LogOutbox.settings("relay").retry(LogOutbox.retryAfter(LONG, 5)));
        await().until(() -> outbox.parked() == 4 && outbox.ahead() == 0);
        rejected.clear();

        request("RETRY", 1);
        await().until(() -> outbox.parked() == 2);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");

        request("DISCARD", 3);
        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "4");
    }

    @Test
    void followerThatIsDiscardedIsLeftOut() {
        rejected.add("1");
        outbox.insert("a", 1, 2, 3);
        outbox.start(publisher);
        await().until(() -> outbox.parked() == 3);

        request("DISCARD", 2);
        await().until(() -> outbox.parked() == 2);
        rejected.clear();

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "3");
    }

    @Test
    void requestMadeWhileTheEventIsInFlightIsNotForgotten() {
        Answers answers = new Answers();
        outbox.insert("a", 1, 2);
        outbox.start(answers, LogOutbox.settings("relay").retry(LogOutbox.retryAfter(Duration.ofMillis(20), 1000)));
        await().until(() -> answers.pending.size() == 1);
        answers.last().complete(new PublishResult.Rejected("no", false));
        await().until(() -> answers.pending.size() == 2);

        request("DISCARD", 1);
        answers.last().complete(new PublishResult.Rejected("no", false));

        await().until(() -> answers.bodies.contains("2"));
        answers.last().complete(new PublishResult.Accepted());
        await().until(outbox::isDone);
        assertThat(answers.bodies).containsExactly("1", "1", "2");
    }

    @Test
    void keyOfADeadLetterStaysClosedUntilAPersonHasDecided() {
        hopeless.add("1");
        hopeless.add("3");
        outbox.insert("again", 1, 2);
        outbox.insert("away", 3, 4);
        outbox.insert("good", 5);
        startHoldingDeadKeys();

        await().until(() -> outbox.parked() == 4 && outbox.ahead() == 0);
        assertThat(outbox.parkedStates()).containsExactly("DEAD 1", "QUEUED 2", "DEAD 3", "QUEUED 4");
        assertThat(publisher.acceptedBodies()).containsExactly("5");
        assertThat(outbox.database().column("select payload from outbox_dead_letter order by outbox_id"))
                .containsExactly("1", "3");

        hopeless.clear();
        request("RETRY", 1);
        await().until(() -> outbox.parked() == 2);
        assertThat(publisher.acceptedBodies()).containsExactly("5", "1", "2");
        request("DISCARD", 3);
        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("5", "1", "2", "4");
    }

    @Test
    void deadLetterDoesNotHoldBackWhatCameBeforeIt() {
        outbox.insert("a", 1, 2, 3);
        outbox.database().execute("update outbox set event_type = ' ' where id = 2");

        startHoldingDeadKeys();

        await().until(() -> publisher.accepted().size() == 1);
        assertThat(publisher.acceptedBodies()).containsExactly("1");
        await().until(() -> outbox.parkedStates().equals(List.of("DEAD 2", "QUEUED 3")));
    }

    @Test
    void scheduledEventWaitsHoldsNothingAndComesAfterItsTime() {
        List<String> early = new CopyOnWriteArrayList<>();
        RecordingPublisher checking = RecordingPublisher.answering(event -> {
            if (!outbox.database()
                    .one("select coalesce(next_attempt_at <= clock_timestamp(), true) from outbox where event_id = '"
                            + event.id() + "'")
                    .equals("t")) {
                early.add(event.payload().text());
            }
            return new PublishResult.Accepted();
        });
        outbox.start(checking);
        outbox.database()
                .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                        + " values ('acme.a.b.v1', 'a', 'a', '1', clock_timestamp() + interval '5 seconds'),"
                        + " ('acme.a.b.v1', 'a', 'a', '2', clock_timestamp() + interval '3 seconds'),"
                        + " ('acme.a.b.v1', 'a', 'a', '3', clock_timestamp() + interval '1 hour')");
        outbox.insert("a", 4);
        await().until(() -> checking.acceptedBodies().equals(List.of("4")));
        await().until(() -> outbox.parkedStates().equals(List.of("SCHEDULED 1", "SCHEDULED 2", "SCHEDULED 3")));

        await().until(() -> checking.accepted().size() == 3);

        assertThat(checking.acceptedBodies()).containsExactly("4", "2", "1");
        assertThat(early).isEmpty();
        await().until(() -> outbox.parkedStates().equals(List.of("SCHEDULED 3")));
    }

    @Test
    void scheduledEventThatIsRejectedClosesItsKeyLikeAnyOther() {
        rejected.add("1");
        outbox.database()
                .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                        + " values ('acme.a.b.v1', 'a', 'a', '1', clock_timestamp() + interval '200 milliseconds')");
        outbox.start(publisher);
        await().until(() -> outbox.parkedStates().equals(List.of("FAILED 1")));
        outbox.insert("a", 2);
        await().until(() -> outbox.parkedStates().equals(List.of("FAILED 1", "QUEUED 2")));

        rejected.clear();

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");
    }

    @Test
    void eventIsADeadLetterAfterItsRetriesAndItsFollowersGoOn() {
        rejected.add("1");
        outbox.insert("a", 1, 2, 3);

        outbox.start(publisher, LogOutbox.settings("relay").retry(LogOutbox.retryAfter(Duration.ofMillis(10), 2)));

        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("2", "3");
        assertThat(outbox.database().one("select payload || ' ' || attempts || ' ' || reason from outbox_dead_letter"))
                .as("the first attempt and two retries")
                .isEqualTo("1 3 no");
    }

    private void startHoldingDeadKeys() {
        outbox.start(
                publisher,
                LogOutbox.settings("relay")
                        .deadLetters(new DeadLetterSettings(
                                DeadLetterSettings.Then.HOLD_KEY, directory.resolve("dead.jsonl"))));
    }

    private void request(String state, int body) {
        outbox.database()
                .execute("update outbox_parked set state = '" + state + "' where outbox_id ="
                        + " (select id from outbox where payload::text = '" + body + "')");
    }

    /** Answers when the test says so. */
    private static final class Answers implements Publisher {
        final List<CompletableFuture<PublishResult>> pending = new CopyOnWriteArrayList<>();
        final List<String> bodies = new CopyOnWriteArrayList<>();

        CompletableFuture<PublishResult> last() {
            return pending.get(pending.size() - 1);
        }

        @Override
        public String destination(OutboxEvent event) {
            return "answers";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            CompletableFuture<PublishResult> answer = new CompletableFuture<>();
            bodies.add(event.payload().text());
            pending.add(answer);
            return answer;
        }

        @Override
        public void halt() {
            pending.forEach(answer -> answer.complete(new PublishResult.Unresolved()));
        }
    }
}
