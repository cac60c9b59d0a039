package dev.postrider.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether an event that failed is tried again, and how long it waits. */
class JudgementTest {
    private static final Duration BACKOFF = Duration.ofSeconds(2);
    private static final Backoff RETRY = new Backoff(BACKOFF, 1, BACKOFF, 0, 3);
    private static final StoredEvent EVENT = new StoredEvent(
            new RowClaim(1, "", 1, 1, 0, 0, Duration.ZERO),
            OutboxEvent.builder("a.b").aggregate("a", "1").json("1").build(),
            0);

    @Test
    void eventWaitsAsLongAsTheDestinationAsksIfThatIsLongerThanItsBackoff() {
        assertThat(delay(false, Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
        assertThat(delay(false, Duration.ofSeconds(1))).isEqualTo(BACKOFF);
        assertThat(delay(false, null)).isEqualTo(BACKOFF);
    }

    @Test
    void soDoesOneWhoseOutagesCount() {
        assertThat(delay(true, Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
        assertThat(delay(true, Duration.ofSeconds(1))).isEqualTo(BACKOFF);
    }

    @Test
    void policySeesTheEventTheFailureAndTheAttempt() {
        List<String> seen = new ArrayList<>();
        RetryPolicy policy = (event, failure, attempt) -> {
            seen.add(event.type() + " " + failure.errorClass() + " " + failure.reason() + " " + attempt);
            return failure.errorClass().equals("no-stock")
                    ? RetryPolicy.retryAfter(Duration.ofHours(attempt))
                    : RetryPolicy.giveUp();
        };

        assertThat(judge(policy, tried(2, null), new PublishResult.Rejected("no-stock", "sold out", false)))
                .isInstanceOfSatisfying(Settlement.Failed.class, failed -> {
                    assertThat(failed.delay()).isEqualTo(Duration.ofHours(3));
                    assertThat(failed.counted()).isTrue();
                });
        assertThat(judge(policy, tried(0, null), new PublishResult.Rejected("invalid", "no order", false)))
                .isEqualTo(new Settlement.Dead(tried(0, null).claim(), "invalid", "no order"));
        assertThat(seen).containsExactly("a.b no-stock sold out 3", "a.b invalid no order 1");
    }

    @Test
    void rowsOwnMaximumStaysWhateverThePolicyWants() {
        RetryPolicy forEver = (event, failure, attempt) -> RetryPolicy.retryAfter(BACKOFF);
        PublishResult refusal = new PublishResult.Rejected("no", false);

        assertThat(judge(forEver, tried(1, 2), refusal)).isInstanceOf(Settlement.Failed.class);
        assertThat(judge(forEver, tried(2, 2), refusal)).isInstanceOf(Settlement.Dead.class);
        // The standard policy has 3 retries, and gives way to a row that wants more.
        assertThat(judge(RETRY, tried(3, 5), refusal)).isInstanceOf(Settlement.Failed.class);
        assertThat(judge(RETRY, tried(3, null), refusal)).isInstanceOf(Settlement.Dead.class);
    }

    @Test
    void eventRejectedForGoodIsDeadWhateverThePolicyWants() {
        RetryPolicy forEver = (event, failure, attempt) -> RetryPolicy.retryAfter(BACKOFF);

        assertThat(judge(forEver, EVENT, new PublishResult.Rejected("no", true)))
                .isInstanceOf(Settlement.Dead.class);
    }

    @Test
    void noEventIsGivenUpForWhatIsNotItsFault() {
        RetryPolicy never = (event, failure, attempt) -> RetryPolicy.giveUp();

        assertThat(judge(never, EVENT, new PublishResult.Unavailable("down")))
                .isInstanceOfSatisfying(
                        Settlement.Failed.class,
                        failed -> assertThat(failed.counted()).isFalse());
        Backoff noRetries = new Backoff(BACKOFF, 1, BACKOFF, 0, 0);
        assertThat(judge(noRetries, EVENT, new PublishResult.Unavailable("down")))
                .isInstanceOfSatisfying(
                        Settlement.Failed.class,
                        failed -> assertThat(failed.delay()).isEqualTo(BACKOFF));
    }

    @Test
    void standardPolicyDecidesForOneThatThrowsOrAnswersWithNothing() {
        PublishResult refusal = new PublishResult.Rejected("no", false);
        List<RetryPolicy> broken = List.of(
                (event, failure, attempt) -> {
                    throw new IllegalStateException("made by a test");
                },
                (event, failure, attempt) -> {
                    throw new NoClassDefFoundError("made by a test");
                },
                (event, failure, attempt) -> RetryPolicy.retryAfter(null),
                (event, failure, attempt) -> null);

        for (RetryPolicy policy : broken) {
            assertThat(judge(policy, tried(0, null), refusal))
                    .isInstanceOfSatisfying(
                            Settlement.Failed.class,
                            failed -> assertThat(failed.delay()).isBetween(BACKOFF, BACKOFF.plusSeconds(1)));
            assertThat(judge(policy, tried(5, null), refusal)).isInstanceOf(Settlement.Dead.class);
        }
    }

    @Test
    void waitsStayWithinWhatDatabasesCanAdd() {
        PublishResult refusal = new PublishResult.Rejected("no", false);
        for (Duration wanted : List.of(Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThat(judge((event, failure, attempt) -> RetryPolicy.retryAfter(wanted), EVENT, refusal))
                    .isInstanceOfSatisfying(
                            Settlement.Failed.class,
                            failed -> assertThat(failed.delay()).isBetween(Duration.ZERO, Duration.ofDays(3650)));
        }
    }

    private static StoredEvent tried(int attempts, Integer ownMaximum) {
        OutboxEvent.Builder event =
                OutboxEvent.builder("a.b").aggregate("a", "1").json("1");
        return new StoredEvent(
                new RowClaim(1, "", 1, 1, attempts, 0, Duration.ZERO),
                (ownMaximum == null ? event : event.maxRetries(ownMaximum)).build(),
                0);
    }

    private static Settlement judge(RetryPolicy policy, StoredEvent event, PublishResult result) {
        return new Judgement("relay", policy, false).of(event, result, false);
    }

    private static Duration delay(boolean countOutages, Duration retryAfter) {
        PublishResult result = new PublishResult.Unavailable("http-429", "too many", retryAfter);
        Settlement.Failed failed =
                (Settlement.Failed) new Judgement("relay", RETRY, countOutages).of(EVENT, result, false);
        assertThat(failed.counted()).isEqualTo(countOutages);
        return failed.delay();
    }
}
