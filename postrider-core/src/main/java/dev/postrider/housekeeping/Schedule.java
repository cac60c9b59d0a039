package dev.postrider.housekeeping;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/**
 * When something is done again. Always asked with times of the database's clock, so that the clock and
 * the time zone of a machine do not matter.
 */
public sealed interface Schedule {

    /** The first time after {@code last} at which it is to be done. If that has passed, it was missed and is done now. */
    Instant next(Instant last);

    static Schedule daily(LocalTime at, ZoneId zone) {
        return new Daily(at, zone);
    }

    static Schedule every(Duration interval) {
        return new Every(interval);
    }

    /** Once a day; where the clocks go forward over that time of day, as soon after it as there is a time. */
    record Daily(LocalTime at, ZoneId zone) implements Schedule {
        @Override
        public Instant next(Instant last) {
            ZonedDateTime before = last.atZone(zone);
            ZonedDateTime sameDay = before.toLocalDate().atTime(at).atZone(zone);
            return (sameDay.isAfter(before)
                            ? sameDay
                            : before.toLocalDate().plusDays(1).atTime(at).atZone(zone))
                    .toInstant();
        }
    }

    /** Again and again; no more often than the housekeeper looks at the time. */
    record Every(Duration interval) implements Schedule {
        public Every {
            HousekeepingSettings.EVERY.check(interval);
        }

        @Override
        public Instant next(Instant last) {
            return last.plus(interval);
        }
    }
}
