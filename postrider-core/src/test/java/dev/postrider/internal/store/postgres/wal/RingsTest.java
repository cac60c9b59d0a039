package dev.postrider.internal.store.postgres.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.internal.store.log.Snapshot;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When transactions that a stream told of are looked for, and until when. */
class RingsTest {
    private final Rings rings = new Rings(0);

    @Test
    void transactionIsLookedForUntilASnapshotSeesIt() {
        rings.add(12);

        assertThat(rings.look(Snapshot.parse("10:20:10,12")))
                .as("still running")
                .isFalse();
        assertThat(rings.look(Snapshot.parse("10:12:10")))
                .as("not yet begun to end")
                .isFalse();
        assertThat(rings.nanosLeft(Long.MAX_VALUE / 2)).isLessThanOrEqualTo(0);
        assertThat(rings.look(Snapshot.parse("13:20:"))).isTrue();
        assertThat(rings.nanosLeft(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void oneThatIsSeenDoesNotWaitForOneThatIsNot() {
        rings.add(12);
        rings.add(13);

        assertThat(rings.look(Snapshot.parse("12:20:12"))).isTrue();
        assertThat(rings.look(Snapshot.parse("12:20:12"))).isFalse();
        assertThat(rings.look(Snapshot.parse("20:20:"))).isTrue();
    }

    @Test
    void looksBecomeRarerUntilThereIsANewRing() {
        rings.add(12);
        long now = 0;
        rings.looking(now);
        long longest = 0;
        for (int i = 0; i < 20; i++) {
            assertThat(rings.nanosLeft(now)).isGreaterThanOrEqualTo(longest);
            longest = rings.nanosLeft(now);
            now += Math.max(0, rings.nanosLeft(now));
            rings.looking(now);
        }
        assertThat(Duration.ofNanos(rings.nanosLeft(now))).isEqualTo(Duration.ofMillis(50));

        rings.add(13);

        assertThat(Duration.ofNanos(rings.nanosLeft(now))).isEqualTo(Duration.ofNanos(200_000));
    }

    @Test
    void whatMayHaveBeenMissedRingsOnce() {
        rings.missed();

        assertThat(rings.look(Snapshot.parse("10:10:"))).isTrue();
        assertThat(rings.look(Snapshot.parse("10:10:"))).isFalse();
    }

    @Test
    void lowerHalfOfANumberIsWidenedToTheClosestOne() {
        long epoch = 1L << 32;

        assertThat(Rings.widened(12, 20)).isEqualTo(12);
        assertThat(Rings.widened(25, 20)).as("the end lags behind").isEqualTo(25);
        assertThat(Rings.widened(12, 3 * epoch + 20)).isEqualTo(3 * epoch + 12);
        assertThat(Rings.widened(-5, 3 * epoch + 20)).as("before the turn").isEqualTo(3 * epoch - 5);
        assertThat(Rings.widened(7, 3 * epoch - 5)).as("after the turn").isEqualTo(3 * epoch + 7);
        assertThat(Rings.widened((int) 3_000_000_000L, epoch + 3_000_000_100L)).isEqualTo(epoch + 3_000_000_000L);
    }
}
