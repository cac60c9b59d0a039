package dev.postrider.internal.store.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a snapshot sees, and what is new in a later one. */
class SnapshotTest {
    private final Snapshot snapshot = Snapshot.parse("10:20:10,12,15");

    @Test
    void whatHadEndedIsSeen() {
        assertThat(snapshot.sees(9)).isTrue();
        assertThat(snapshot.sees(11)).isTrue();
        assertThat(snapshot.sees(19)).isTrue();
    }

    @Test
    void whatWasRunningOrHadNotBegunIsNotSeen() {
        assertThat(snapshot.sees(10)).isFalse();
        assertThat(snapshot.sees(15)).isFalse();
        assertThat(snapshot.sees(20)).isFalse();
        assertThat(snapshot.sees(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void withNothingRunningEverythingBelowTheEndIsSeen() {
        Snapshot quiet = Snapshot.parse("20:20:");

        assertThat(quiet.running()).isEmpty();
        assertThat(quiet.sees(19)).isTrue();
        assertThat(quiet.sees(20)).isFalse();
    }

    @Test
    void firstThatIsNewIsTheOldestThatWasRunningAndHasEnded() {
        assertThat(snapshot.firstNewIn(Snapshot.parse("10:30:10,15"))).isEqualTo(12);
    }

    @Test
    void ifNoneOfThoseHasEndedTheFirstThatIsNewIsNotBelowTheEnd() {
        assertThat(snapshot.firstNewIn(Snapshot.parse("10:30:10,12,15"))).isEqualTo(20);
    }

    @Test
    void snapshotsAreEqualByWhatTheySee() {
        assertThat(snapshot).isEqualTo(Snapshot.parse("10:20:10,12,15")).hasSameHashCodeAs("10:20:10,12,15");
        assertThat(snapshot).isNotEqualTo(Snapshot.parse("10:20:10,12")).hasToString("10:20:10,12,15");
    }
}
