package dev.postrider.publish.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BusyTypesTest {
    private static final String TYPE = "acme.report.wanted.v1";

    private final BusyTypes busy = new BusyTypes(8);
    private long now = 1;

    @Test
    void limitFollowsTheHandlers() {
        busy.add(TYPE, now);
        assertThat(busy.limit(TYPE)).isEqualTo(8);
        assertThat(busy.waits(TYPE, 5, now)).as("more than half of them wait").isFalse();

        passes(Duration.ofMillis(500));
        assertThat(busy.waits(TYPE, 4, now)).isTrue();
        assertThat(busy.limit(TYPE)).as("quick").isEqualTo(16);

        passes(Duration.ofSeconds(2));
        assertThat(busy.waits(TYPE, 8, now)).isTrue();
        assertThat(busy.limit(TYPE)).as("neither").isEqualTo(16);

        passes(Duration.ofSeconds(5));
        assertThat(busy.waits(TYPE, 8, now)).isTrue();
        assertThat(busy.limit(TYPE)).as("slow").isEqualTo(8);

        passes(Duration.ofSeconds(5));
        busy.waits(TYPE, 4, now);
        assertThat(busy.limit(TYPE)).as("never less").isEqualTo(8);
    }

    @Test
    void typeOfWhichNothingWaitsForAWhileIsLikeAnyOther() {
        busy.add(TYPE, now);
        busy.waits(TYPE, 0, now);

        passes(Duration.ofSeconds(5));
        busy.look(TYPE, 0, now);
        assertThat(busy.contains(TYPE)).as("more may come").isTrue();

        passes(Duration.ofSeconds(6));
        busy.look(TYPE, 3, now);
        assertThat(busy.contains(TYPE)).as("some wait").isTrue();
        busy.look(TYPE, 0, now);
        assertThat(busy.contains(TYPE)).isFalse();
        assertThat(busy.limit(TYPE)).isEqualTo(Integer.MAX_VALUE);
    }

    private void passes(Duration time) {
        now += time.toNanos();
    }
}
