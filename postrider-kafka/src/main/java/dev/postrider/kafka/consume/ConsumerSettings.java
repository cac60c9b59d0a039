package dev.postrider.kafka.consume;

import dev.postrider.PostriderException;
import dev.postrider.failure.Backoff;
import java.time.Duration;

/**
 * How a consumer works. Every option has a default.
 *
 * @param name appears in logs and as Kafka's client id
 * @param batchSize records read at a time
 * @param startAt where a group starts that has never committed anything
 * @param retry when failed records are tried again, and how often
 * @param deadLetterSuffix appended to a topic's name to get its dead letter topic
 * @param sessionTimeout after this time without a heartbeat its partitions go to others
 * @param heartbeatInterval how often it sends a heartbeat
 * @param maxPollInterval after this time in one call of the handler its partitions go to others
 * @param drainTimeout how long a stop waits for the handler before it interrupts it
 */
public record ConsumerSettings(
        String name,
        int batchSize,
        StartAt startAt,
        Backoff retry,
        String deadLetterSuffix,
        Duration sessionTimeout,
        Duration heartbeatInterval,
        Duration maxPollInterval,
        Duration drainTimeout) {

    public ConsumerSettings {
        require(!name.isBlank(), "name", name, "some text");
        require(batchSize >= 1 && batchSize <= 10_000, "batch-size", batchSize, "between 1 and 10000");
        require(
                deadLetterSuffix.matches("[A-Za-z0-9._-]{1,50}"),
                "dead-letter-suffix",
                deadLetterSuffix,
                "1 to 50 letters, digits, dots, underscores or hyphens");
        requirePositive(heartbeatInterval, "heartbeat-interval");
        require(
                sessionTimeout.compareTo(heartbeatInterval) > 0,
                "session-timeout",
                sessionTimeout,
                "longer than the heartbeat-interval, " + heartbeatInterval);
        requirePositive(maxPollInterval, "max-poll-interval");
        requirePositive(drainTimeout, "drain-timeout");
    }

    public static ConsumerSettings defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    private static void requirePositive(Duration value, String option) {
        require(value.toMillis() >= 1, option, value, "a millisecond or more");
    }

    private static void require(boolean holds, String option, Object value, String allowed) {
        if (!holds) {
            throw new PostriderException("The consumer's " + option + " is " + value + "; it must be " + allowed + ".");
        }
    }

    /** Collects settings; options that are not set keep their defaults. */
    public static final class Builder {
        private String name = "consumer-" + ProcessHandle.current().pid();
        private int batchSize = 100;
        private StartAt startAt = StartAt.LATEST;
        private Backoff retry = new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0.1, 3);
        private String deadLetterSuffix = ".dlq";
        private Duration sessionTimeout = Duration.ofSeconds(30);
        private Duration heartbeatInterval = Duration.ofSeconds(10);
        private Duration maxPollInterval = Duration.ofMinutes(5);
        private Duration drainTimeout = Duration.ofSeconds(10);

        private Builder() {}

        /** Default: {@code consumer-} and the process id. */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /** Default: 100. */
        public Builder batchSize(int batchSize) {
            this.batchSize = batchSize;
            return this;
        }

        /** Default: latest. */
        public Builder startAt(StartAt startAt) {
            this.startAt = startAt;
            return this;
        }

        /** Default: 3 retries, after 1, 2 and 4 seconds. */
        public Builder retry(Backoff retry) {
            this.retry = retry;
            return this;
        }

        /** Default: {@code .dlq}. */
        public Builder deadLetterSuffix(String suffix) {
            this.deadLetterSuffix = suffix;
            return this;
        }

        /** Default: 30 seconds. */
        public Builder sessionTimeout(Duration sessionTimeout) {
            this.sessionTimeout = sessionTimeout;
            return this;
        }

        /** Default: 10 seconds. */
        public Builder heartbeatInterval(Duration heartbeatInterval) {
            this.heartbeatInterval = heartbeatInterval;
            return this;
        }

        /** Default: 5 minutes. */
        public Builder maxPollInterval(Duration maxPollInterval) {
            this.maxPollInterval = maxPollInterval;
            return this;
        }

        /** Default: 10 seconds. */
        public Builder drainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
            return this;
        }

        public ConsumerSettings build() {
            return new ConsumerSettings(
                    name,
                    batchSize,
                    startAt,
                    retry,
                    deadLetterSuffix,
                    sessionTimeout,
                    heartbeatInterval,
                    maxPollInterval,
                    drainTimeout);
        }
    }
}
