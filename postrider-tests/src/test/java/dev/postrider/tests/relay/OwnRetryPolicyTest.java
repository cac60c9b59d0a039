package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CapturedLog;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A retry policy of the user's own, given to the relay's builder. */
class OwnRetryPolicyTest {
    private final InMemoryOutbox memory = new InMemoryOutbox();
    private final List<String> dead = new ArrayList<>();

    @Test
    void policyDecidesByTheFailureWhatIsTriedAgainAndWhatIsADeadLetter() throws Exception {
        RecordingPublisher publisher = RecordingPublisher.answering(
                event -> new PublishResult.Rejected(event.payload().text(), "no", false));
        RetryPolicy policy = (event, failure, attempt) ->
                failure.errorClass().equals("1") ? RetryPolicy.giveUp() : RetryPolicy.retryAfter(Duration.ofHours(1));
        try (Relay relay = relay(publisher, policy)) {
            write("a", "1");
            write("b", "2");
            assertThat(relay.runOnce().dead()).isEqualTo(1);

            publisher.answer(event -> new PublishResult.Accepted());
            memory.clock().advance(Duration.ofMinutes(59));
            assertThat(relay.runOnce().published()).isZero();
            memory.clock().advance(Duration.ofMinutes(2));
            assertThat(relay.runOnce().published()).isEqualTo(1);
        }
        assertThat(publisher.acceptedBodies()).containsExactly("2");
        assertThat(dead).containsExactly("no");
    }

    @Test
    void policyThatThrowsDoesNotStopTheRelayAndIsToldOnce() throws Exception {
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> new PublishResult.Rejected("not yet", false));
        try (CapturedLog log = new CapturedLog();
                Relay relay = relay(publisher, (event, failure, attempt) -> {
                    throw new IllegalStateException("made by a test");
                })) {
            write("a", "1");
            write("b", "2");
            assertThat(relay.runOnce().failed()).isEqualTo(2);

            publisher.answer(event -> new PublishResult.Accepted());
            memory.clock().advance(Duration.ofSeconds(5));
            assertThat(relay.runOnce().published()).isEqualTo(2);
            assertThat(log.lines("the retry policy", "failed")).hasSize(1);
        }
    }

    private Relay relay(RecordingPublisher publisher, RetryPolicy policy) {
        return Relay.builder(memory.dataSource(), publisher)
                .table(memory.table())
                .retry(policy)
                .listener(new RelayListener() {
                    @Override
                    public void dead(long rowId, String error) {
                        dead.add(error);
                    }
                })
                .build();
    }

    private void write(String key, String body) throws Exception {
        try (Connection connection = memory.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Outbox.builder()
                    .build()
                    .write(
                            connection,
                            OutboxEvent.builder("acme.a.b.v1")
                                    .aggregate("a", key)
                                    .json(body)
                                    .build());
            connection.commit();
        }
    }
}
