package dev.postrider;

import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.failure.RetryPolicy;
import java.time.Duration;
import java.util.UUID;

/**
 * How a relay works. Every option has a default; the five lines most people look at come first.
 *
 * @param name appears in logs, {@code status} and {@code locked_by}
 * @param batchSize events claimed at a time
 * @param pollInterval longest wait between two looks at the table when nobody calls
 * @param retry when events that failed are tried again, and how often
 * @param countOutages whether an outage of the destination costs an event a retry
 * @param circuit when the destination counts as down
 * @param deadLetters what becomes of events that are given up
 * @param onPublished keep or delete rows that were delivered
 * @param ordering order per key, or none
 * @param polling whether the relay looks more often while there is traffic
 * @param split a static share of the keys
 * @param maxBatchBytes a read ends before its events, with their headers, add up to more; see docs/configuration.md for how
 *     many are in memory
 * @param maxEventBytes a larger event, with its headers, is a dead letter without being fetched; at most
 *     {@code maxBatchBytes}
 * @param transactionSize with exactly once: events of a shard that are committed together at the broker
 * @param leaseLength after this time without a sign of life the relay's events are taken by others
 * @param drainTimeout how long a stop waits for events in flight
 * @param network how long a database is waited for that says nothing
 * @param noAnswerAfter when a destination that has not answered an event is warned of
 * @param pooling what stands between here and the database
 */
public record RelaySettings(
        String name,
        int batchSize,
        Duration pollInterval,
        RetryPolicy retry,
        boolean countOutages,
        CircuitSettings circuit,
        DeadLetterSettings deadLetters,
        OnPublished onPublished,
        Ordering ordering,
        Polling polling,
        Split split,
        long maxBatchBytes,
        long maxEventBytes,
        int transactionSize,
        Duration leaseLength,
        Duration drainTimeout,
        NetworkTimeouts network,
        Duration noAnswerAfter,
        Pooling pooling) {

    public static final int MAX_TRANSACTION_SIZE = 10_000;

    /** How the waits between looks at the table behave. */
    public enum Polling {
        /** Short after traffic, doubling up to the poll interval. */
        ADAPTIVE,
        /** Always the poll interval. */
        FIXED
    }

    public RelaySettings {
        require(!name.isBlank(), "name", name, "some text");
        require(batchSize >= 1 && batchSize <= 10_000, "batch-size", batchSize, "between 1 and 10000");
        requirePositive(pollInterval, "poll-interval");
        require(maxBatchBytes >= 1, "max-batch-bytes", maxBatchBytes, "1 or more");
        require(
                maxEventBytes >= 1 && maxEventBytes <= maxBatchBytes,
                "max-event-bytes",
                maxEventBytes,
                "1 or more, and at most max-batch-bytes, which is " + maxBatchBytes);
        require(
                transactionSize >= 1 && transactionSize <= MAX_TRANSACTION_SIZE,
                "transaction-size",
                transactionSize,
                "between 1 and " + MAX_TRANSACTION_SIZE);
        require(
                leaseLength.compareTo(Duration.ofMillis(500)) >= 0,
                "lease-length",
                leaseLength,
                "at least half a second");
        requirePositive(drainTimeout, "drain-timeout");
        requirePositive(noAnswerAfter, "no-answer-after");
    }

    public static RelaySettings defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The same for a thread that takes other numbers at a time. */
    RelaySettings withBatchSize(int events) {
        return new RelaySettings(
                name,
                events,
                pollInterval,
                retry,
                countOutages,
                circuit,
                deadLetters,
                onPublished,
                ordering,
                polling,
                split,
                maxBatchBytes,
                maxEventBytes,
                transactionSize,
                leaseLength,
                drainTimeout,
                network,
                noAnswerAfter,
                pooling);
    }

    RelaySettings withRetry(RetryPolicy policy) {
        return new RelaySettings(
                name,
                batchSize,
                pollInterval,
                policy,
                countOutages,
                circuit,
                deadLetters,
                onPublished,
                ordering,
                polling,
                split,
                maxBatchBytes,
                maxEventBytes,
                transactionSize,
                leaseLength,
                drainTimeout,
                network,
                noAnswerAfter,
                pooling);
    }

    private static void requirePositive(Duration value, String option) {
        require(!value.isNegative() && !value.isZero(), option, value, "longer than nothing");
    }

    private static void require(boolean holds, String option, Object value, String allowed) {
        if (!holds) {
            throw new PostriderException("The relay's " + option + " is " + value + "; it must be " + allowed + ".");
        }
    }

    /** Collects settings; what is not named keeps its default. */
    public static final class Builder {
        /** In containers every process has the same id. */
        private String name = "relay-" + ProcessHandle.current().pid() + "-"
                + UUID.randomUUID().toString().substring(0, 4);

        private int batchSize = 2000;
        private Duration pollInterval = Duration.ofSeconds(1);
        private RetryPolicy retry = Backoff.DEFAULT;
        private boolean countOutages = false;
        private CircuitSettings circuit = CircuitSettings.DEFAULT;
        private DeadLetterSettings deadLetters = DeadLetterSettings.DEFAULT;
        private OnPublished onPublished = OnPublished.KEEP;
        private Ordering ordering = Ordering.KEY;
        private Polling polling = Polling.ADAPTIVE;
        private Split split = Split.ALL;
        private long maxBatchBytes = 16L << 20;
        private long maxEventBytes = 16L << 20;
        private int transactionSize = 5_000;
        private Duration leaseLength = Duration.ofSeconds(3);
        private Duration drainTimeout = Duration.ofSeconds(10);
        private NetworkTimeouts network = NetworkTimeouts.DEFAULT;
        private Duration noAnswerAfter = Duration.ofSeconds(30);
        private Pooling pooling = Pooling.NONE;

        private Builder() {}

        /** Default: {@code relay-}, the process id, and four digits by which relays of several containers differ. */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /** Default: 2000. */
        public Builder batchSize(int batchSize) {
            this.batchSize = batchSize;
            return this;
        }

        /** Default: 1 second. */
        public Builder pollInterval(Duration pollInterval) {
            this.pollInterval = pollInterval;
            return this;
        }

        /** Default: {@link Backoff#DEFAULT}. */
        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /** Default: false, an outage costs no event anything. */
        public Builder countOutages(boolean countOutages) {
            this.countOutages = countOutages;
            return this;
        }

        /** Default: {@link CircuitSettings#DEFAULT}. */
        public Builder circuit(CircuitSettings circuit) {
            this.circuit = circuit;
            return this;
        }

        /** Default: {@link DeadLetterSettings#DEFAULT}. */
        public Builder deadLetters(DeadLetterSettings deadLetters) {
            this.deadLetters = deadLetters;
            return this;
        }

        /** Default: keep. */
        public Builder onPublished(OnPublished onPublished) {
            this.onPublished = onPublished;
            return this;
        }

        /** Default: by key. */
        public Builder ordering(Ordering ordering) {
            this.ordering = ordering;
            return this;
        }

        /** Default: adaptive. */
        public Builder polling(Polling polling) {
            this.polling = polling;
            return this;
        }

        /** Default: everything. */
        public Builder split(Split split) {
            this.split = split;
            return this;
        }

        /** Default: 16 MiB. */
        public Builder maxBatchBytes(long maxBatchBytes) {
            this.maxBatchBytes = maxBatchBytes;
            return this;
        }

        /** Default: 16 MiB. At most {@link #maxBatchBytes}. */
        public Builder maxEventBytes(long maxEventBytes) {
            this.maxEventBytes = maxEventBytes;
            return this;
        }

        /** Default: 5000. Counts with {@link Delivery#EXACTLY_ONCE} only. */
        public Builder transactionSize(int transactionSize) {
            this.transactionSize = transactionSize;
            return this;
        }

        /** Default: 3 seconds. */
        public Builder leaseLength(Duration leaseLength) {
            this.leaseLength = leaseLength;
            return this;
        }

        /** Default: 10 seconds. */
        public Builder drainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
            return this;
        }

        /** Default: {@link NetworkTimeouts#DEFAULT}. */
        public Builder network(NetworkTimeouts network) {
            this.network = network;
            return this;
        }

        /** Default: 30 seconds. */
        public Builder noAnswerAfter(Duration noAnswerAfter) {
            this.noAnswerAfter = noAnswerAfter;
            return this;
        }

        /** Default: none, and a relay refuses to start behind a pooler. */
        public Builder pooling(Pooling pooling) {
            this.pooling = pooling;
            return this;
        }

        public RelaySettings build() {
            return new RelaySettings(
                    name,
                    batchSize,
                    pollInterval,
                    retry,
                    countOutages,
                    circuit,
                    deadLetters,
                    onPublished,
                    ordering,
                    polling,
                    split,
                    maxBatchBytes,
                    maxEventBytes,
                    transactionSize,
                    leaseLength,
                    drainTimeout,
                    network,
                    noAnswerAfter,
                    pooling);
        }
    }
}
