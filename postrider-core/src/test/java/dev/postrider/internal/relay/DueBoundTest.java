package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.RelaySettings.Polling;
import dev.postrider.internal.source.EventSource.Fetched;
import dev.postrider.internal.source.NextDue;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is known to become due is looked for at most 100 ms later, whatever the poll interval. On a clock that the test sets:
 * how long statements and threads take is not in it.
 */
@ParameterizedClass
@EnumSource
class DueBoundTest {
    private static final long BOUND = Duration.ofMillis(100).toNanos();
    private static final Duration POLL = Duration.ofMinutes(10);

    @Parameter
    private Polling polling;

    /** The relay's monotonic clock. */
    private long now = 1_000_000_000_000L;

    /** What the database's clock is ahead of it. */
    private long offset;

    /** In the database, by the database's clock. */
    private final List<Long> due = new ArrayList<>();

    private final List<Long> late = new ArrayList<>();
    private final NextDue next = new NextDue(() -> now);
    private PollTimer timer;

    @Test
    void retryDoesNotWaitForThePoll() {
        begin();
        fail(100);

        runFor(5_000);
        assertThat(late).hasSize(1).allMatch(nanos -> nanos <= BOUND);
    }

    @Test
    void nearerDueTimeShortensTheWaitForALaterOne() {
        begin();
        fail(60_000);
        runFor(1_000);
        fail(200);

        runFor(300);
        assertThat(late).hasSize(1).allMatch(nanos -> nanos <= BOUND);
    }

    @Test
    void laterDueTimeDoesNotPutOffANearerOne() {
        begin();
        fail(200);
        fail(60_000);

        runFor(300);
        assertThat(late).hasSize(1).allMatch(nanos -> nanos <= BOUND);
    }

    /** As the clocks of relay and database need not have anything to do with each other. */
    @ParameterizedTest
    @ValueSource(longs = {-7, 0, 7})
    void clockThatIsWrongByMinutesChangesNothing(long minutes) {
        offset = Duration.ofMinutes(minutes).toNanos();
        begin();
        schedule(1_500);
        look();
        fail(400);

        runFor(2_000);
        assertThat(late).hasSize(2).allMatch(nanos -> nanos >= 0 && nanos <= BOUND);
    }

    @Test
    void looksThatFoundNothingPutOffTheNextByNoMoreThanTheBound() {
        begin();
        for (int i = 0; i < 20; i++) {
            look();
            runFor(60);
        }
        look();
        fail(1);

        runFor(200);
        assertThat(late).hasSize(1).allMatch(nanos -> nanos <= BOUND);
    }

    @Test
    void manyDueTimesAreAllMet() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        begin();
        for (int i = 0; i < 2_000; i++) {
            if (random.nextBoolean()) {
                fail(random.nextInt(3_000));
            } else {
                schedule(random.nextInt(3_000));
                // Somebody calls, or the writer is heard of.
                look();
            }
            runFor(random.nextInt(20));
        }
        runFor(4_000);

        assertThat(late).as("seed " + seed).hasSize(2_000).allMatch(nanos -> nanos >= 0 && nanos <= BOUND);
    }

    @Test
    void whatHasComeDueIsNotForgottenForSomethingLater() {
        begin();
        fail(100);
        now += Duration.ofMinutes(1).toNanos();
        next.noLaterThan(Duration.ofHours(1));

        assertThat(timer.nanosLeft(next.left())).isLessThanOrEqualTo(0);
    }

    /** Its turn comes with the end of the earlier one. */
    @Test
    void eventBehindAnotherOfItsKeyIsLookedForWhenThatHasEnded() {
        begin();
        // Met, and not to be had while the earlier event is in flight.
        timer.fetched(new Fetched(List.of(), List.of(), false, true));
        next.set(null);
        assertThat(timer.nanosLeft(next.left())).isGreaterThan(0).isLessThanOrEqualTo(BOUND);

        timer.settled();
        assertThat(timer.nanosLeft(next.left())).isLessThanOrEqualTo(0);
    }

    @Test
    void whatIsDueAndCannotBeHadIsNotLookedForAllTheTime() {
        begin();
        look();
        next.noLaterThan(Duration.ZERO);

        assertThat(timer.nanosLeft(next.left())).isGreaterThan(0);
    }

    private void begin() {
        timer = new PollTimer(POLL, polling, () -> now);
        look();
        // An adaptive relay that has been idle for long.
        for (int i = 0; i < 30; i++) {
            now += Duration.ofSeconds(1).toNanos();
            look();
        }
    }

    /** A failure is recorded by this relay. */
    private void fail(long millis) {
        schedule(millis);
        next.noLaterThan(Duration.ofMillis(millis));
    }

    /** Somebody writes it; the relay does not know. */
    private void schedule(long millis) {
        due.add(now + offset + Duration.ofMillis(millis).toNanos());
    }

    /** As a source does: takes what is due, and is told what comes next. */
    private void look() {
        long databaseTime = now + offset;
        List<Long> taken = due.stream().filter(time -> time <= databaseTime).toList();
        due.removeAll(taken);
        taken.forEach(time -> late.add(databaseTime - time));
        next.set(due.stream()
                .min(Long::compare)
                .map(time -> Duration.ofNanos(time - databaseTime))
                .orElse(null));
        List<Settlement.Dead> met = taken.stream()
                .map(time -> new Settlement.Dead(RowClaim.NOBODY, "test", "met"))
                .toList();
        timer.fetched(new Fetched(List.of(), met, false, false));
    }

    private void runFor(long millis) {
        long end = now + Duration.ofMillis(millis).toNanos();
        while (true) {
            long wait = timer.nanosLeft(next.left());
            if (wait > end - now) {
                now = end;
                return;
            }
            now += Math.max(0, wait);
            look();
        }
    }
}
