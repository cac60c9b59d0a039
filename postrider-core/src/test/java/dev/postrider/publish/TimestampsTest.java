package dev.postrider.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    private final Timestamps timestamps = new Timestamps();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-16T00:00:00Z",
                "2026-11-16T23:59:59.001Z",
                "2026-11-16T23:59:59.100Z",
                "2026-11-16T23:59:59.000001Z",
                "2026-11-16T23:59:59.000000001Z",
                "1969-12-31T23:59:59.999Z",
                "-0044-03-15T12:00:00Z",
                "+12026-01-01T00:00:00.5Z"
            })
    void textIsThatOfTheInstant(String text) {
        Instant time = Instant.parse(text);

        assertThat(timestamps.format(time)).isEqualTo(time.toString());
    }

    @Test
    void timesOfOneSecondAndOfOthersAreToldApart() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            Instant time =
                    Instant.ofEpochSecond(1_800_000_000L + random.nextInt(3), random.nextInt(1_000_000) * 1_000L);
            assertThat(timestamps.format(time)).as("seed " + seed).isEqualTo(time.toString());
        }
    }
}
