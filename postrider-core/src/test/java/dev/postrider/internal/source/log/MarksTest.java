package dev.postrider.internal.source.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.internal.store.log.Snapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where scans begin. */
class MarksTest {
    private final Marks marks = new Marks();

    @Test
    void withoutMarksEverythingIsScanned() {
        assertThat(marks.floorOf(100)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void markCountsForTransactionsAfterItOnly() {
        marks.add(50, 1000);
        marks.add(60, 2000);

        assertThat(marks.floorOf(50)).isEqualTo(Long.MIN_VALUE);
        assertThat(marks.floorOf(51)).isEqualTo(1000);
        assertThat(marks.floorOf(60)).isEqualTo(1000);
        assertThat(marks.floorOf(61)).isEqualTo(2000);
    }

    @Test
    void marksThatAreNeededStayHoweverManyThereAre() {
        for (int n = 1; n <= 10_000; n++) {
            marks.add(10L * n, 100L * n);
        }
        // One transaction has been running for long.
        Snapshot position = Snapshot.parse("1234:90000:1234");
        long floorOfRunning = marks.floorOf(1234);
        long floorOfEnd = marks.floorOf(90_000);
        long newest = marks.floorOf(Long.MAX_VALUE);

        marks.keepFor(List.of(position));

        assertThat(marks.floorOf(1234)).isEqualTo(floorOfRunning).isEqualTo(12_300);
        assertThat(marks.floorOf(90_000)).isEqualTo(floorOfEnd).isEqualTo(899_900);
        assertThat(marks.floorOf(Long.MAX_VALUE)).isEqualTo(newest);
        assertThat(marks.floorOf(50_000)).as("those between are gone").isEqualTo(12_300);
    }

    @Test
    void fewMarksAreAllKept() {
        marks.add(10, 100);
        marks.add(20, 200);

        marks.keepFor(List.of(Snapshot.parse("30:30:")));

        assertThat(marks.floorOf(15)).isEqualTo(100);
    }

    @Test
    void clearedMarksCountNoMore() {
        marks.add(10, 100);

        marks.clear();

        assertThat(marks.floorOf(20)).isEqualTo(Long.MIN_VALUE);
    }
}
