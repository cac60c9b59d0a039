package dev.postrider.cli.settings;

import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.RelaySettings;
import dev.postrider.Split;
import dev.postrider.alert.AlertRules;
import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.Destinations;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.DeadLetterSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The table of everything that can be set: key, flag, format, default, description. */
public final class KnownSettings {
    private static final RelaySettings RELAY = RelaySettings.defaults();
    private static final Backoff RETRY = Backoff.DEFAULT;
    private static final AlertRules RULES = AlertRules.defaults();
    private static final SettingsTable TABLE = new SettingsTable();

    public static final Setting<String> DB_URL =
            TABLE.add("db.url", "--db-url", Formats.JDBC_URL, null, "JDBC URL of the database with the outbox");
    public static final Setting<String> DB_USER =
            TABLE.add("db.user", "--db-user", Formats.TEXT, null, "Database user");
    public static final Setting<String> DB_PASSWORD = TABLE.add(
            "db.password", null, Formats.SECRET, null, "The user's password; there is no flag for it on purpose");
    public static final Setting<Path> DB_PASSWORD_FILE = TABLE.add(
            "db.password-file", "--db-password-file", Formats.FILE, null, "File that holds the user's password");

    public static final Setting<Pooling> DB_POOLING = TABLE.add(
            "db.pooling",
            null,
            Formats.oneOf(Pooling.class),
            Pooling.NONE,
            "A pooler between here and PostgreSQL; relay, migrate and alter refuse one unless it pools sessions");

    public static final Setting<OutboxTable> OUTBOX_TABLE = TABLE.add(
            "table", "--table", Formats.TABLE, OutboxTable.DEFAULT, "The outbox's table, with its schema if needed");

    static {
        Destinations.all().forEach(destination -> TABLE.addAll(destination.settings()));
    }

    public static final Setting<Destination> RELAY_DESTINATION = TABLE.add(
            "relay.destination",
            "--destination",
            Formats.oneOf(Destinations.all(), Destination::name),
            Destinations.standard(),
            "What events are delivered to");
    public static final Setting<String> RELAY_NAME = TABLE.add(
            "relay.name",
            "--name",
            Formats.TEXT,
            null,
            "Name in logs and in status; if not set, made from the process id and four random digits");
    public static final Setting<Long> RELAY_BATCH_SIZE = TABLE.add(
            "relay.batch-size",
            "--batch-size",
            Formats.wholeNumber(1, 10_000),
            (long) RELAY.batchSize(),
            "Events claimed at a time");
    public static final Setting<Duration> RELAY_POLL_INTERVAL = TABLE.add(
            "relay.poll-interval",
            "--poll-interval",
            Formats.DURATION,
            RELAY.pollInterval(),
            "Longest wait between two looks at the table");
    public static final Setting<RelaySettings.Polling> RELAY_POLLING = TABLE.add(
            "relay.polling",
            null,
            Formats.oneOf(RelaySettings.Polling.class),
            RELAY.polling(),
            "Look more often while there is traffic, or always at the interval");
    public static final Setting<Ordering> RELAY_ORDERING = TABLE.add(
            "relay.ordering",
            "--ordering",
            Formats.oneOf(Ordering.class),
            RELAY.ordering(),
            "Keep order per key, or not");
    public static final Setting<OnPublished> RELAY_ON_PUBLISHED = TABLE.add(
            "relay.on-published",
            "--on-published",
            Formats.oneOf(OnPublished.class),
            RELAY.onPublished(),
            "What becomes of the rows of delivered events");
    public static final Setting<Split> RELAY_SPLIT = TABLE.add(
            "relay.split",
            "--split",
            Formats.SPLIT,
            RELAY.split(),
            "Static share of the keys: instance i of n; every instance must run");
    public static final Setting<Long> RELAY_MAX_BATCH_BYTES = TABLE.add(
            "relay.max-batch-bytes",
            null,
            Formats.wholeNumber(1, Long.MAX_VALUE),
            RELAY.maxBatchBytes(),
            "A read ends before its events, with their headers, add up to more");
    public static final Setting<Long> RELAY_MAX_EVENT_BYTES = TABLE.add(
            "relay.max-event-bytes",
            null,
            Formats.wholeNumber(1, Long.MAX_VALUE),
            RELAY.maxEventBytes(),
            "A larger event, with its headers, is a dead letter; at most relay.max-batch-bytes");
    public static final Setting<Long> RELAY_TRANSACTION_SIZE = TABLE.add(
            "relay.transaction-size",
            null,
            Formats.wholeNumber(1, RelaySettings.MAX_TRANSACTION_SIZE),
            (long) RELAY.transactionSize(),
            "With exactly once: events committed together at the broker");
    public static final Setting<Duration> RELAY_LEASE_LENGTH = TABLE.add(
            "relay.lease-length",
            null,
            Formats.DURATION,
            RELAY.leaseLength(),
            "After this time without a sign of life its events are taken by others");
    public static final Setting<Duration> RELAY_DRAIN_TIMEOUT = TABLE.add(
            "relay.drain-timeout",
            null,
            Formats.DURATION,
            RELAY.drainTimeout(),
            "How long a stop waits for events in flight");
    public static final Setting<Duration> RELAY_NO_ANSWER_AFTER = TABLE.add(
            "relay.no-answer-after",
            null,
            Formats.DURATION,
            RELAY.noAnswerAfter(),
            "When a destination that has not answered an event is warned of");
    public static final Setting<Duration> RELAY_CONNECT_TIMEOUT = TABLE.add(
            "relay.connect-timeout",
            null,
            Formats.DURATION,
            RELAY.network().connect(),
            "How long a connection to the database is waited for; 10s at most");
    public static final Setting<Duration> RELAY_NETWORK_TIMEOUT = TABLE.add(
            "relay.network-timeout",
            null,
            Formats.DURATION,
            RELAY.network().answer(),
            "How long an answer of the database is waited for; 10s at most");
    public static final Setting<Duration> RELAY_LEASE_NETWORK_TIMEOUT = TABLE.add(
            "relay.lease-network-timeout",
            null,
            Formats.DURATION,
            RELAY.network().lease(),
            "The same for the renewal of leases");
    public static final Setting<Duration> RETRY_BASE =
            TABLE.add("relay.retry.base", null, Formats.DURATION, RETRY.base(), "Wait before the first retry");
    public static final Setting<Double> RETRY_MULTIPLIER = TABLE.add(
            "relay.retry.multiplier", null, Formats.number(1, 1_000), RETRY.multiplier(), "From one wait to the next");
    public static final Setting<Duration> RETRY_CAP =
            TABLE.add("relay.retry.cap", null, Formats.DURATION, RETRY.cap(), "No wait is longer");
    public static final Setting<Double> RETRY_JITTER = TABLE.add(
            "relay.retry.jitter",
            null,
            Formats.number(0, 1),
            RETRY.jitter(),
            "Share of a wait by which it may be longer");
    public static final Setting<Long> RETRY_MAX = TABLE.add(
            "relay.retry.max-retries",
            null,
            Formats.wholeNumber(0, Integer.MAX_VALUE),
            (long) RETRY.maxRetries(),
            "Then the event is a dead letter");
    public static final Setting<Boolean> RETRY_COUNT_OUTAGES = TABLE.add(
            "relay.retry.count-outages",
            null,
            Formats.YES_OR_NO,
            RELAY.countOutages(),
            "Whether an outage of the destination costs events their retries");
    public static final Setting<Long> CIRCUIT_WINDOW = TABLE.add(
            "relay.circuit.window",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().window(),
            "So many of the destination's last answers decide whether it counts as down");
    public static final Setting<Long> CIRCUIT_MINIMUM_CALLS = TABLE.add(
            "relay.circuit.minimum-calls",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().minimumCalls(),
            "With fewer answers nothing is decided");
    public static final Setting<Double> CIRCUIT_FAILURE_RATE = TABLE.add(
            "relay.circuit.failure-rate",
            null,
            Formats.number(0, 100),
            RELAY.circuit().failureRate(),
            "Percentage of failures that opens the circuit");
    public static final Setting<Duration> CIRCUIT_OPEN_FOR = TABLE.add(
            "relay.circuit.open-for",
            null,
            Formats.DURATION,
            RELAY.circuit().openFor(),
            "How long nothing is sent then");
    public static final Setting<Long> CIRCUIT_TRIAL_CALLS = TABLE.add(
            "relay.circuit.trial-calls",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().trialCalls(),
            "So many events decide afterwards whether it closes");
    public static final Setting<DeadLetterSettings.Then> DEAD_LETTER_THEN = TABLE.add(
            "relay.dead-letter.then",
            null,
            Formats.oneOf(DeadLetterSettings.Then.class),
            RELAY.deadLetters().then(),
            "What the later events of a dead letter's key do");
    public static final Setting<Path> DEAD_LETTER_FILE = TABLE.add(
            "relay.dead-letter.file",
            null,
            Formats.FILE,
            RELAY.deadLetters().file(),
            "Takes dead letters that the database cannot take");

    public static final Setting<Integrity> RELAY_INTEGRITY = TABLE.add(
            "relay.integrity",
            null,
            Formats.oneOf(Integrity.class),
            Integrity.OPTIONAL,
            "Whether an event without a content hash, as plain SQL writes it, is sent or a dead letter");
    public static final Setting<Path> RELAY_INTEGRITY_KEY_FILE = TABLE.add(
            "relay.integrity-key-file",
            null,
            Formats.FILE,
            null,
            "File with the secret by which writers sign events; then no other event is sent");

    public static final Setting<Duration> RETENTION_PUBLISHED = TABLE.add(
            "retention.published",
            null,
            Formats.DURATION,
            null,
            "How long delivered events are kept; if not set, for ever");
    public static final Setting<LocalTime> RETENTION_AT = TABLE.add(
            "retention.at",
            null,
            Formats.TIME_OF_DAY,
            LocalTime.of(2, 0),
            "When older ones are deleted, every day, by the database's clock");
    public static final Setting<ZoneId> RETENTION_ZONE =
            TABLE.add("retention.zone", null, Formats.ZONE, ZoneId.of("UTC"), "Time zone of that time of day");
    public static final Setting<Duration> RETENTION_EVERY =
            TABLE.add("retention.every", null, Formats.DURATION, null, "Delete at this interval instead of daily");

    public static final Setting<Long> ALERTS_PENDING =
            threshold("alerts.pending", RULES.pending(), "More events than this not yet published");
    public static final Setting<Long> ALERTS_FAILED =
            threshold("alerts.failed", RULES.failed(), "More events than this waiting for their retry");
    public static final Setting<Long> ALERTS_FAILURES_PER_MINUTE = threshold(
            "alerts.failures-per-minute", RULES.failuresPerMinute(), "More failed attempts than this in a minute");
    public static final Setting<Long> ALERTS_DEAD_LETTERS = threshold(
            "alerts.dead-letters",
            RULES.deadLetters(),
            "More dead letters than this in a minute; 0 tells each at once");
    public static final Setting<Long> ALERTS_INTEGRITY_FAILURES = threshold(
            "alerts.integrity-failures",
            RULES.integrityFailures(),
            "More changed rows than this in a minute; 0 tells each at once");
    public static final Setting<Long> ALERTS_RECOVERED =
            threshold("alerts.recovered", RULES.recovered(), "More events than this taken over from dead relays");
    public static final Setting<Duration> ALERTS_OLDEST_AGE = TABLE.add(
            "alerts.oldest-age",
            null,
            Formats.DURATION,
            null,
            "An event older than this not yet published; if not set, off");
    public static final Setting<Boolean> ALERTS_CIRCUIT_OPEN = TABLE.add(
            "alerts.circuit-open", null, Formats.YES_OR_NO, RULES.circuitOpen(), "The destination counts as down");
    public static final Setting<Long> ALERTS_UNANSWERED = threshold(
            "alerts.unanswered",
            RULES.unanswered(),
            "More events than this without an answer for longer than relay.no-answer-after");
    public static final Setting<Boolean> ALERTS_INCLUDE_PAYLOAD = TABLE.add(
            "alerts.include-payload",
            null,
            Formats.YES_OR_NO,
            RELAY.deadLetters().tellPayload(),
            "Whether a dead letter that neither table nor file takes is told with its payload, in alerts and in the log");
    public static final Setting<Duration> ALERTS_COOL_DOWN = TABLE.add(
            "alerts.cool-down", null, Formats.DURATION, RULES.coolDown(), "The same is not told again before");
    public static final Setting<Duration> ALERTS_INTERVAL =
            TABLE.add("alerts.interval", null, Formats.DURATION, RULES.interval(), "How often levels are looked at");
    public static final Setting<Boolean> ALERTS_LOG =
            TABLE.add("alerts.log", null, Formats.YES_OR_NO, true, "Tell the log");
    public static final Setting<URI> ALERTS_DISCORD_URL =
            TABLE.add("alerts.discord-url", null, Formats.SECRET_URL, null, "Tell this webhook of Discord's");
    public static final Setting<URI> ALERTS_SLACK_URL =
            TABLE.add("alerts.slack-url", null, Formats.SECRET_URL, null, "Tell this webhook of Slack's");
    public static final Setting<URI> ALERTS_WEBHOOK_URL =
            TABLE.add("alerts.webhook-url", null, Formats.SECRET_URL, null, "Tell this URL, in JSON");

    /** Where a destination's name alone is enough: {@code kafka: localhost:9092}. */
    private static final Map<String, Setting<?>> SHORT_KEYS = Destinations.settingsByNameAlone();

    private KnownSettings() {}

    private static Setting<Long> threshold(String key, long standard, String description) {
        return TABLE.add(
                key,
                null,
                Formats.THRESHOLD,
                standard,
                "Alert: " + Character.toLowerCase(description.charAt(0)) + description.substring(1));
    }

    /** In the order in which they are documented. */
    static List<Setting<?>> all() {
        return TABLE.all();
    }

    /** Every key, and every path that leads to one. */
    static Set<String> keysAndGroups() {
        Set<String> paths = new TreeSet<>();
        for (Setting<?> setting : all()) {
            String key = setting.key();
            for (int dot = key.indexOf('.'); dot >= 0; dot = key.indexOf('.', dot + 1)) {
                paths.add(key.substring(0, dot));
            }
            paths.add(key);
        }
        return paths;
    }

    /** Those that are one of these paths or lie below one. */
    public static List<Setting<?>> within(String... paths) {
        return all().stream()
                .filter(setting -> List.of(paths).stream().anyMatch(setting::isWithin))
                .toList();
    }

    static Optional<Setting<?>> byKey(String key) {
        Optional<Setting<?>> known =
                all().stream().filter(setting -> setting.key().equals(key)).findFirst();
        return known.isPresent() ? known : Optional.ofNullable(SHORT_KEYS.get(key));
    }

    static Optional<Setting<?>> byVariable(String variable) {
        Optional<Setting<?>> known = all().stream()
                .filter(setting -> setting.variable().equals(variable))
                .findFirst();
        return known.isPresent()
                ? known
                : SHORT_KEYS.entrySet().stream()
                        .filter(entry -> Setting.variable(entry.getKey()).equals(variable))
                        .<Setting<?>>map(Map.Entry::getValue)
                        .findFirst();
    }
}
