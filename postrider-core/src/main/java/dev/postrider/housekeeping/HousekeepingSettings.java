package dev.postrider.housekeeping;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;

/**
 * How housekeeping is done. Every option has a default.
 *
 * @param retention how long what is published is kept
 * @param schedule when what is older is deleted
 * @param chunkSize rows looked at, and at most deleted, by one statement
 * @param pause between two statements, so that relays and writers hardly notice
 * @param leaseLength after this time without a sign of life another instance takes a job over
 */
public record HousekeepingSettings(
        Retention retention, Schedule schedule, int chunkSize, Duration pause, Duration leaseLength) {

    public HousekeepingSettings {
        require(chunkSize >= 1 && chunkSize <= 100_000, "chunk-size", chunkSize, "between 1 and 100000");
        require(!pause.isNegative(), "pause", pause, "0 or more");
        require(leaseLength.compareTo(Duration.ofSeconds(1)) >= 0, "lease-length", leaseLength, "at least a second");
    }

    public static HousekeepingSettings defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void require(boolean holds, String option, Object value, String allowed) {
        if (!holds) {
            throw new PostriderException("housekeeping." + option + " is " + value + "; it must be " + allowed + ".");
        }
    }

    /** Collects settings; what is not named keeps its default. */
    public static final class Builder {
        private Retention retention = Retention.FOREVER;
        private Schedule schedule = Schedule.daily(LocalTime.of(2, 0), ZoneOffset.UTC);
        private int chunkSize = 1000;
        private Duration pause = Duration.ofMillis(50);
        private Duration leaseLength = Duration.ofSeconds(60);

        private Builder() {}

        /** Default: everything for ever. */
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

        public HousekeepingSettings build() {
            return new HousekeepingSettings(retention, schedule, chunkSize, pause, leaseLength);
        }
    }
}
