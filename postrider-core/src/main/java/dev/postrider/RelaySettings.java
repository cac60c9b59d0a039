package dev.postrider;

import dev.postrider.failure.Backoff;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.failure.RetrySettings;
import dev.postrider.settings.BatchSettings;
import dev.postrider.settings.DeliverySettings;
import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionMap;
import dev.postrider.settings.OptionValues;
import dev.postrider.settings.PollSettings;
import dev.postrider.settings.Timeouts;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a relay works, in groups. Every option has a default. Each group is a record that describes its options; the builder
 * here sets them all.
 *
 * @param name appears in logs, {@code status} and {@code locked_by}
 * @param pooling whether there is a pooler between the relay and PostgreSQL
 * @param polling how often it looks for events, and what else makes it look
 * @param batch how much it handles at a time
 * @param delivery which events it delivers, in which order, and what happens to their rows
 * @param timeouts how long it waits, and is waited for
 * @param network how long it waits for a database that does not answer
 * @param retry when failed events are tried again, and how often
 * @param circuit when the destination counts as down
 * @param deadLetters what happens to events that are given up
 */
public record RelaySettings(
        String name,
        Pooling pooling,
        PollSettings polling,
        BatchSettings batch,
        DeliverySettings delivery,
        Timeouts timeouts,
        NetworkTimeouts network,
        RetrySettings retry,
        CircuitSettings circuit,
        DeadLetterSettings deadLetters) {

    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Relay");

    public static final Option<String> NAME = GROUP.add(Option.withoutDefault(
                    "relay.name",
                    Formats.TEXT,
                    "Name in logs and in status. If not set, it is made from the process id and four random digits.")
            .withFlag("--name"));
    public static final Option<Pooling> POOLING = GROUP.add(
            Option.of(
                    "db.pooling",
                    Formats.oneOf(Pooling.class),
                    Pooling.NONE,
                    "A connection pooler in front of PostgreSQL. relay, migrate and alter refuse one unless it pools sessions."));

    private static final OptionGroup OPTIONS = GROUP.build();

    /** How the waits between reads of the table behave. */
    public enum Polling {
        /** Short after traffic, doubling up to the poll interval. */
        ADAPTIVE,
        /** Always the poll interval. */
        FIXED
    }

    public RelaySettings {
        NAME.check(name);
    }

    /** Everything that can be set here, in the order in which it is documented. */
    public static List<OptionGroup> options() {
        return Stream.of(
                        OPTIONS,
                        PollSettings.OPTIONS,
                        BatchSettings.OPTIONS,
                        DeliverySettings.OPTIONS,
                        Timeouts.OPTIONS,
                        NetworkTimeouts.OPTIONS,
                        RetrySettings.OPTIONS,
                        CircuitSettings.OPTIONS,
                        DeadLetterSettings.OPTIONS)
                .toList();
    }

    public static RelaySettings of(OptionValues values) {
        return new RelaySettings(
                values.find(NAME).orElseGet(RelaySettings::newName),
                values.get(POOLING),
                PollSettings.of(values),
                BatchSettings.of(values),
                DeliverySettings.of(values),
                Timeouts.of(values),
                NetworkTimeouts.of(values),
                RetrySettings.of(values),
                CircuitSettings.of(values),
                DeadLetterSettings.of(values));
    }

    /** In containers every process has the same id. */
    private static String newName() {
        return "relay-" + ProcessHandle.current().pid() + "-"
                + UUID.randomUUID().toString().substring(0, 4);
    }

    public static RelaySettings defaults() {
        return of(OptionValues.NONE);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The same for a thread that fetches another number of events at a time. */
    RelaySettings withBatchSize(int events) {
        return new RelaySettings(
                name,
                pooling,
                polling,
                batch.withSize(events),
                delivery,
                timeouts,
                network,
                retry,
                circuit,
                deadLetters);
    }

    RelaySettings withRetry(RetryPolicy policy) {
        return new RelaySettings(
                name,
                pooling,
                polling,
                batch,
                delivery,
                timeouts,
                network,
                new RetrySettings(policy, retry.countOutages()),
                circuit,
                deadLetters);
    }

    /** Collects settings; options that are not set keep their defaults. */
    public static final class Builder {
        private final OptionMap values = new OptionMap();
        private @Nullable NetworkTimeouts network;
        private @Nullable RetryPolicy retry;
        private @Nullable CircuitSettings circuit;
        private @Nullable DeadLetterSettings deadLetters;

        private Builder() {}

        private <T> Builder set(Option<T> option, T value) {
            values.set(option, value);
            return this;
        }

        /**
         * Default: {@code relay-}, the process id, and four random digits, so that relays in several containers
         * differ.
         */
        public Builder name(String name) {
            return set(NAME, name);
        }

        /** Default: none, and a relay refuses to start behind a pooler. */
        public Builder pooling(Pooling pooling) {
            return set(POOLING, pooling);
        }

        /** Default: 1 second. */
        public Builder pollInterval(Duration interval) {
            return set(PollSettings.INTERVAL, interval);
        }

        /** Default: adaptive. */
        public Builder polling(Polling mode) {
            return set(PollSettings.MODE, mode);
        }

        /** Default: {@link WakeUp#AUTO}. */
        public Builder wakeUp(WakeUp wakeUp) {
            return set(PollSettings.WAKE_UP, wakeUp);
        }

        /** Default: 2000. */
        public Builder batchSize(int events) {
            return set(BatchSettings.SIZE, events);
        }

        /** Default: 16 MiB. */
        public Builder maxBatchBytes(long bytes) {
            return set(BatchSettings.MAX_BYTES, bytes);
        }

        /** Default: 16 MiB. At most {@link #maxBatchBytes}. */
        public Builder maxEventBytes(long bytes) {
            return set(BatchSettings.MAX_EVENT_BYTES, bytes);
        }

        /** Default: 5000. Used only with {@link Delivery#EXACTLY_ONCE}. */
        public Builder transactionSize(int events) {
            return set(BatchSettings.TRANSACTION_SIZE, events);
        }

        /** Default: by key. */
        public Builder ordering(Ordering ordering) {
            return set(DeliverySettings.ORDERING, ordering);
        }

        /** Default: keep. */
        public Builder onPublished(OnPublished onPublished) {
            return set(DeliverySettings.ON_PUBLISHED, onPublished);
        }

        /** Default: everything. */
        public Builder split(Split split) {
            return set(DeliverySettings.SPLIT, split);
        }

        /** Default: 3 seconds. */
        public Builder leaseLength(Duration length) {
            return set(Timeouts.LEASE, length);
        }

        /** Default: 10 seconds. */
        public Builder drainTimeout(Duration timeout) {
            return set(Timeouts.DRAIN, timeout);
        }

        /** Default: 30 seconds. */
        public Builder noAnswerAfter(Duration time) {
            return set(Timeouts.NO_ANSWER, time);
        }

        /** Default: {@link NetworkTimeouts#DEFAULT}. */
        public Builder network(NetworkTimeouts network) {
            this.network = network;
            return this;
        }

        /** Default: {@link Backoff#DEFAULT}. */
        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /** Default: false, an outage costs no event a retry. */
        public Builder countOutages(boolean countOutages) {
            return set(RetrySettings.COUNT_OUTAGES, countOutages);
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

        public RelaySettings build() {
            RelaySettings set = of(values);
            RelaySettings all = new RelaySettings(
                    set.name,
                    set.pooling,
                    set.polling,
                    set.batch,
                    set.delivery,
                    set.timeouts,
                    network == null ? set.network : network,
                    set.retry,
                    circuit == null ? set.circuit : circuit,
                    deadLetters == null ? set.deadLetters : deadLetters);
            return retry == null ? all : all.withRetry(retry);
        }
    }
}
