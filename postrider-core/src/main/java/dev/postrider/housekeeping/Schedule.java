package dev.postrider.housekeeping;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/**
 * When something is done again. Always called with times of the database's clock, so that the clock and the time zone
 * of a machine do not matter.
 */
public sealed interface Schedule {

    /** The first scheduled time after {@code last}. If it has passed, the run was missed and is done now. */
    Instant next(Instant last);

    static Schedule daily(LocalTime at, ZoneId zone) {
        return new Daily(at, zone);
    }

    static Schedule every(Duration interval) {
        return new Every(interval);
    }

    /** Once a day. If the clocks skip that time of day, at the first time after it. */
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

    /** At an interval; no more often than the housekeeper checks the time. */
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
