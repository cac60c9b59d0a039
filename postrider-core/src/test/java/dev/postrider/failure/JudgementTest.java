package dev.postrider.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.store.RowClaim;
import dev.postrider.store.Settlement;
import dev.postrider.store.StoredEvent;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long an event waits whose destination says when it wants to be asked again. */
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

    private static Duration delay(boolean countOutages, Duration retryAfter) {
        PublishResult result = new PublishResult.Unavailable("http-429", "too many", retryAfter);
        Settlement.Failed failed = (Settlement.Failed) new Judgement(RETRY, countOutages).of(EVENT, result, false);
        assertThat(failed.counted()).isEqualTo(countOutages);
        return failed.delay();
    }
}
