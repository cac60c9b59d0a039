package dev.postrider.housekeeping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @Test
    void dailyComesTheSameDayIfItsTimeIsStillAheadAndElseTheNext() {
        Schedule daily = Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC);

        assertThat(daily.next(at("2026-11-15T01:59:59Z"))).isEqualTo(at("2026-11-15T02:00:00Z"));
        assertThat(daily.next(at("2026-11-15T02:00:00Z"))).isEqualTo(at("2026-11-16T02:00:00Z"));
        assertThat(daily.next(at("2026-11-15T09:00:00Z"))).isEqualTo(at("2026-11-16T02:00:00Z"));
    }

    @Test
    void dailyMeansTheTimeOfDayOfItsZone() {
        Schedule daily = Schedule.daily(LocalTime.of(2, 0), ZoneId.of("Asia/Seoul"));

        assertThat(daily.next(at("2026-11-15T12:00:00Z"))).isEqualTo(at("2026-11-15T17:00:00Z"));
        assertThat(daily.next(at("2026-11-15T17:30:00Z"))).isEqualTo(at("2026-11-16T17:00:00Z"));
    }

    @Test
    void dayWithoutThatTimeHasItOnceAllTheSame() {
        Schedule daily = Schedule.daily(LocalTime.of(2, 30), BERLIN);

        assertThat(daily.next(at("2026-03-28T12:00:00Z"))).isEqualTo(at("2026-03-29T01:30:00Z"));
        assertThat(daily.next(at("2026-03-29T01:30:00Z"))).isEqualTo(at("2026-03-30T00:30:00Z"));
    }

    @Test
    void dayThatHasThatTimeTwiceUsesItOnce() {
        Schedule daily = Schedule.daily(LocalTime.of(2, 30), BERLIN);

        assertThat(daily.next(at("2026-10-24T12:00:00Z"))).isEqualTo(at("2026-10-25T00:30:00Z"));
        assertThat(daily.next(at("2026-10-25T00:30:00Z"))).isEqualTo(at("2026-10-26T01:30:00Z"));
    }

    @Test
    void intervalIsCountedFromTheLastTime() {
        assertThat(Schedule.every(Duration.ofHours(6)).next(at("2026-11-15T12:00:00Z")))
                .isEqualTo(at("2026-11-15T18:00:00Z"));
    }

    @Test
    void badSettingsNameTheOptionItsValueAndWhatIsAllowed() {
        assertThatThrownBy(() -> Schedule.every(Duration.ZERO))
                .isInstanceOf(PostriderException.class)
                .hasMessage("retention.every is 0ms; it must be a duration of at least 1m, in ms, s, m, h or d.");
        assertThatThrownBy(() -> HousekeepingSettings.builder().chunkSize(0).build())
                .hasMessage("retention.chunk-size is 0; it must be a whole number from 1 to 100000.");
        assertThatThrownBy(() -> Retention.ofPublished(Duration.ofDays(-1)))
                .hasMessage("retention.published is -1d; it must be a duration such as 200ms, 5s, 10m or 1h.");
    }

    private static Instant at(String time) {
        return Instant.parse(time);
    }
}
