package dev.postrider.housekeeping;

import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;

/**
 * How housekeeping is done. Every option has a default.
 *
 * @param retention how long published events are kept
 * @param schedule when older ones are deleted
 * @param chunkSize rows that one statement looks at, and deletes at most
 * @param pause between two statements, so that relays and writers hardly notice
 * @param leaseLength another instance takes a job over if the lease is not renewed for this long
 * @param cursorHistory what is kept of how a log was read
 */
public record HousekeepingSettings(
        Retention retention,
        Schedule schedule,
        int chunkSize,
        Duration pause,
        Duration leaseLength,
        CursorHistory cursorHistory) {

    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Retention and housekeeping");

    static final Option<Duration> PUBLISHED = GROUP.add(Option.withoutDefault(
            "retention.published", Formats.DURATION, "How long delivered events are kept. If not set, for ever."));
    private static final Option<LocalTime> AT = GROUP.add(Option.of(
            "retention.at",
            Formats.TIME_OF_DAY,
            LocalTime.of(2, 0),
            "When older ones are deleted, every day, by the database's clock."));
    private static final Option<ZoneId> ZONE =
            GROUP.add(Option.of("retention.zone", Formats.ZONE, ZoneId.of("UTC"), "Time zone of retention.at."));
    static final Option<Duration> EVERY = GROUP.add(Option.withoutDefault(
            "retention.every",
            Formats.durationOfAtLeast(Duration.ofMinutes(1)),
            "Delete at this interval instead of daily."));
    private static final Option<Integer> CHUNK_SIZE = GROUP.add(Option.of(
            "retention.chunk-size", Formats.wholeNumber(1, 100_000), 1000, "Rows deleted by one statement at most."));
    private static final Option<Duration> PAUSE = GROUP.add(Option.of(
            "retention.pause",
            Formats.DURATION,
            Duration.ofMillis(50),
            "Pause between two such statements, so that relays and writers hardly notice."));
    private static final Option<Duration> LEASE_LENGTH = GROUP.add(Option.of(
            "retention.lease-length",
            Formats.durationOfAtLeast(Duration.ofSeconds(1)),
            Duration.ofMinutes(1),
            "Another relay takes housekeeping over if the lease is not renewed for this long."));
    static final Option<Duration> CURSOR_HISTORY = GROUP.add(Option.of(
            "retention.cursor-history",
            Formats.durationOfAtLeast(Duration.ofMinutes(10)),
            Duration.ofDays(7),
            "In log mode: how long the cursors' history is kept. The newest rows always stay."));
    private static final Option<Boolean> CURSOR_THINNING = GROUP.add(Option.of(
            "retention.cursor-thinning",
            Formats.YES_OR_NO,
            true,
            "Whether of that history only one row a minute, and every take-over, is kept after ten minutes."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public HousekeepingSettings {
        CHUNK_SIZE.check(chunkSize);
        PAUSE.check(pause);
        LEASE_LENGTH.check(leaseLength);
    }

    public static HousekeepingSettings of(OptionValues values) {
        return new HousekeepingSettings(
                values.find(PUBLISHED).map(Retention::ofPublished).orElse(Retention.FOREVER),
                values.find(EVERY)
                        .map(Schedule::every)
                        .orElseGet(() -> Schedule.daily(values.get(AT), values.get(ZONE))),
                values.get(CHUNK_SIZE),
                values.get(PAUSE),
                values.get(LEASE_LENGTH),
                new CursorHistory(values.get(CURSOR_HISTORY), values.get(CURSOR_THINNING)));
    }

    public static HousekeepingSettings defaults() {
        return of(OptionValues.NONE);
    }

    public static Builder builder() {
        return new Builder(defaults());
    }

    /** Collects settings; options that are not set keep their defaults. */
    public static final class Builder {
        private Retention retention;
        private Schedule schedule;
        private int chunkSize;
        private Duration pause;
        private Duration leaseLength;
        private CursorHistory cursorHistory;

        private Builder(HousekeepingSettings from) {
            this.retention = from.retention;
            this.schedule = from.schedule;
            this.chunkSize = from.chunkSize;
            this.pause = from.pause;
            this.leaseLength = from.leaseLength;
            this.cursorHistory = from.cursorHistory;
        }

        /** Default: everything is kept for ever. */
        public Builder retention(Retention retention) {
            this.retention = retention;
            return this;
        }

        /** Default: daily at 02:00 UTC. */
        public Builder schedule(Schedule schedule) {
            this.schedule = schedule;
            return this;
        }

        /** Default: 1000. */
        public Builder chunkSize(int chunkSize) {
            this.chunkSize = chunkSize;
            return this;
        }

        /** Default: 50 ms. */
        public Builder pause(Duration pause) {
            this.pause = pause;
            return this;
        }

        /** Default: 60 seconds. */
        public Builder leaseLength(Duration leaseLength) {
            this.leaseLength = leaseLength;
            return this;
        }

        /** Default: seven days, thinned out after ten minutes. */
        public Builder cursorHistory(CursorHistory cursorHistory) {
            this.cursorHistory = cursorHistory;
            return this;
        }

        public HousekeepingSettings build() {
            return new HousekeepingSettings(retention, schedule, chunkSize, pause, leaseLength, cursorHistory);
        }
    }
}
