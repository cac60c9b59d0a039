package dev.postrider.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void transferWaitsTwoSecondsDoublingUpToTenMinutes() {
        Backoff backoff = new Backoff(Duration.ofSeconds(2), 2, Duration.ofMinutes(10), 0, 5);

        assertThat(seconds(backoff, 10)).containsExactly(2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 600.0);
    }

    @Test
    void commerceWaitsOneSecondDoublingUpToFiveMinutes() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5), 0, 10);

        assertThat(seconds(backoff, 10)).containsExactly(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 300.0);
    }

    @Test
    void ordersWaitsATenthOfASecondDoubling() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), 2, Duration.ofMinutes(1), 0, 5);

        assertThat(seconds(backoff, 5)).containsExactly(0.1, 0.2, 0.4, 0.8, 1.6);
    }

    @Test
    void donationWaitsHalfAMinuteDoubling() {
        Backoff backoff = new Backoff(Duration.ofSeconds(30), 2, Duration.ofHours(1), 0, 3);

        assertThat(seconds(backoff, 3)).containsExactly(30.0, 60.0, 120.0);
    }

    @Test
    void logisticsWaitsOneSecondDoublingFiveTimes() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), 2, Duration.ofHours(1), 0, 5);

        assertThat(seconds(backoff, 5)).containsExactly(1.0, 2.0, 4.0, 8.0, 16.0);
        assertThat(backoff.maxRetries()).isEqualTo(5);
    }

    @Test
    void jitterLengthensAWaitByNoMoreThanItsShareAndNeverBeyondTheCap() {
        Backoff backoff = new Backoff(Duration.ofSeconds(10), 2, Duration.ofSeconds(20), 0.5, 5);

        assertThat(IntStream.range(0, 1000).mapToObj(n -> backoff.delayBefore(1)))
                .allSatisfy(delay -> assertThat(delay).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(15)))
                .hasSizeGreaterThan(1);
        assertThat(backoff.delayBefore(2)).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void farRetriesDoNotOverflow() {
        assertThat(Backoff.DEFAULT.delayBefore(10_000)).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void impossibleSettingsNameOptionValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> new Backoff(Duration.ZERO, 2, Duration.ofMinutes(1), 0, 5))
                .isInstanceOf(PostriderException.class)
                .hasMessage("relay.retry.base is 0ms; it must be a positive duration such as 200ms, 5s, 10m or 1h.");
        assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 2, 5))
                .hasMessage("relay.retry.jitter is 2; it must be a number from 0 to 1.");
        assertThatThrownBy(() -> new Backoff(Duration.ofSeconds(2), 2, Duration.ofSeconds(1), 0, 5))
                .hasMessage("relay.retry.cap is 1s; it must be at least relay.retry.base, which is 2s.");
    }

    private static List<Double> seconds(Backoff backoff, int retries) {
        return IntStream.rangeClosed(1, retries)
                .mapToObj(retry -> backoff.delayBefore(retry).toMillis() / 1000.0)
                .toList();
    }
}
