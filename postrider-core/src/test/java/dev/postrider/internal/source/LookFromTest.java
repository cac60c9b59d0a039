package dev.postrider.internal.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookFromTest {
    private static final Duration NEW = Duration.ZERO;
    private static final Duration OLD = Duration.ofMinutes(1);

    private final LookFrom lookFrom = new LookFrom(at(0));

    @Test
    void firstLookIsEverywhere() {
        assertThat(lookFrom.next(at(0))).isEqualTo(LookFrom.EVERYWHERE);
    }

    @Test
    void belowAnOldEventIsNotLookedAgainAtOnce() {
        lookFrom.met(LookFrom.EVERYWHERE, 100, OLD, at(0), 0);

        assertThat(lookFrom.next(at(10))).isEqualTo(100);
    }

    @Test
    void belowANewEventIsLookedForASecond() {
        lookFrom.met(LookFrom.EVERYWHERE, 100, OLD, at(0), 0);
        lookFrom.met(100, 200, NEW, at(10), 0);

        assertThat(lookFrom.next(at(900))).isEqualTo(100);
        lookFrom.looked(LookFrom.EVERYWHERE, at(1000), 0);
        assertThat(lookFrom.next(at(1010))).isEqualTo(200);
    }

    @Test
    void everySecondIsLookedEverywhere() {
        lookFrom.met(LookFrom.EVERYWHERE, 100, OLD, at(0), 0);

        assertThat(lookFrom.next(at(1000))).isEqualTo(LookFrom.EVERYWHERE);
    }

    @Test
    void boundedLookDoesNotCountAsOneEverywhere() {
        lookFrom.met(LookFrom.EVERYWHERE, 100, OLD, at(0), 0);
        lookFrom.met(100, 150, OLD, at(900), 0);

        assertThat(lookFrom.next(at(1000))).isEqualTo(LookFrom.EVERYWHERE);
    }

    @Test
    void expensiveLooksAreRarerButNotForEver() {
        lookFrom.met(
                LookFrom.EVERYWHERE, 100, OLD, at(0), Duration.ofMillis(100).toNanos());
        assertThat(lookFrom.next(at(4900))).isEqualTo(100);
        assertThat(lookFrom.next(at(5000))).isEqualTo(LookFrom.EVERYWHERE);

        lookFrom.met(
                LookFrom.EVERYWHERE, 100, OLD, at(5000), Duration.ofHours(1).toNanos());
        assertThat(lookFrom.next(at(15_000))).isEqualTo(LookFrom.EVERYWHERE);
    }

    @Test
    void whatWasFoundBelowIsFollowedAtOnce() {
        lookFrom.met(LookFrom.EVERYWHERE, 1000, OLD, at(0), 0);
        lookFrom.met(1000, 2000, OLD, at(10), 0);
        assertThat(lookFrom.next(at(20))).isEqualTo(2000);

        lookFrom.met(LookFrom.EVERYWHERE, 5, NEW, at(1000), 0);

        assertThat(lookFrom.next(at(1010))).isEqualTo(5);
    }

    @Test
    void whatIsGivenBackIsLookedForAtOnce() {
        lookFrom.met(LookFrom.EVERYWHERE, 100, OLD, at(0), 0);

        lookFrom.lookEverywhere(at(10));

        assertThat(lookFrom.next(at(10))).isEqualTo(LookFrom.EVERYWHERE);
    }

    private static long at(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
