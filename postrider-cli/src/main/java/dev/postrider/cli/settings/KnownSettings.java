package dev.postrider.cli.settings;

import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.RelaySettings;
import dev.postrider.Split;
import dev.postrider.alert.AlertRules;
import dev.postrider.failure.Backoff;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.topics.WantedTopic;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The table of everything that can be set: key, flag, format, default, description. */
public final class KnownSettings {
    private static final RelaySettings RELAY = RelaySettings.defaults();
    private static final Backoff RETRY = Backoff.DEFAULT;
    private static final AlertRules RULES = AlertRules.defaults();
    private static final List<Setting<?>> TABLE = new ArrayList<>();

    public static final Setting<String> DB_URL =
            add("db.url", "--db-url", Formats.JDBC_URL, null, "JDBC URL of the database with the outbox");
    public static final Setting<String> DB_USER = add("db.user", "--db-user", Formats.TEXT, null, "Database user");
    public static final Setting<String> DB_PASSWORD =
            add("db.password", null, Formats.SECRET, null, "The user's password; there is no flag for it on purpose");
    public static final Setting<Path> DB_PASSWORD_FILE =
            add("db.password-file", "--db-password-file", Formats.FILE, null, "File that holds the user's password");

    public static final Setting<Pooling> DB_POOLING = add(
            "db.pooling",
            null,
            Formats.oneOf(Pooling.class),
            Pooling.NONE,
            "A pooler between here and PostgreSQL; relay, migrate and alter refuse one unless it pools sessions");

    public static final Setting<OutboxTable> OUTBOX_TABLE = add(
            "table", "--table", Formats.TABLE, OutboxTable.DEFAULT, "The outbox's table, with its schema if needed");

    public static final Setting<String> KAFKA_SERVERS = add(
            "kafka.bootstrap-servers",
            "--kafka",
            Formats.SERVERS,
            null,
            "Kafka's bootstrap servers; short: kafka, POSTRIDER_KAFKA");
    public static final Setting<ContentMode> KAFKA_CONTENT_MODE = add(
            "kafka.content-mode",
            null,
            Formats.oneOf(ContentMode.class),
            ContentMode.BINARY,
            "CloudEvents attributes as headers, or as one document with the payload");
    public static final Setting<String> KAFKA_BODY_ID_FIELD =
            add("kafka.body-id-field", null, Formats.TEXT, null, "Field of JSON payloads that gets the event's id too");
    public static final Setting<String> KAFKA_SOURCE =
            add("kafka.source", null, Formats.TEXT, "postrider", "CloudEvents source of events that name none");
    public static final Setting<String> KAFKA_TOPIC_PREFIX =
            add("kafka.topic-prefix", null, Formats.PREFIX, "", "Begins the name of every topic");
    public static final Setting<Map<String, String>> KAFKA_ROUTES = add(
            "kafka.routes", null, Formats.PAIRS, Map.of(), "Topics of event types that do not follow the convention");
    public static final Setting<Map<String, String>> KAFKA_PROPERTIES =
            add("kafka.properties", null, Formats.PAIRS, Map.of(), "Any property of Kafka's producer");

    public static final Setting<List<String>> TOPICS_NAMES = add(
            "topics.names",
            null,
            Formats.TOPIC_NAMES,
            List.of(),
            "Topics that 'topics apply' makes, without the prefix");
    public static final Setting<Long> TOPICS_PARTITIONS = add(
            "topics.partitions",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) WantedTopic.DEFAULT_PARTITIONS,
            "Partitions of each");
    public static final Setting<Map<String, String>> TOPICS_PARTITIONS_OF =
            add("topics.partitions-of", null, Formats.PAIRS, Map.of(), "Partitions of topics that need another number");
    public static final Setting<Long> TOPICS_REPLICATION_FACTOR = add(
            "topics.replication-factor",
            null,
            Formats.wholeNumber(1, Short.MAX_VALUE),
            (long) WantedTopic.DEFAULT_REPLICATION_FACTOR,
            "Brokers that have each record");
    public static final Setting<Long> TOPICS_MIN_IN_SYNC = add(
            "topics.min-insync-replicas",
            null,
            Formats.wholeNumber(1, Short.MAX_VALUE),
            (long) WantedTopic.DEFAULT_MIN_IN_SYNC_REPLICAS,
            "Of these, so many must have a record before it counts as written");
    public static final Setting<Duration> TOPICS_RETENTION = add(
            "topics.retention",
            null,
            Formats.DURATION,
            WantedTopic.DEFAULT_RETENTION,
            "How long the brokers keep events");
    public static final Setting<Map<String, String>> TOPICS_RETENTION_OF =
            add("topics.retention-of", null, Formats.PAIRS, Map.of(), "The same for topics that need another time");
    public static final Setting<Map<String, String>> TOPICS_PROPERTIES = add(
            "topics.properties", null, Formats.PAIRS, Map.of(), "Any other setting of Kafka's topics, for all of them");
    public static final Setting<Boolean> TOPICS_DEAD_LETTERS =
            add("topics.dead-letters", null, Formats.YES_OR_NO, true, "A dead letter topic beside each");
    public static final Setting<String> TOPICS_DEAD_LETTER_SUFFIX =
            add("topics.dead-letter-suffix", null, Formats.PREFIX, ".dlq", "Makes its name of the topic's");
    public static final Setting<Long> TOPICS_DEAD_LETTER_PARTITIONS = add(
            "topics.dead-letter-partitions",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) WantedTopic.DEFAULT_DEAD_LETTER_PARTITIONS,
            "Its partitions");
    public static final Setting<Duration> TOPICS_DEAD_LETTER_RETENTION = add(
            "topics.dead-letter-retention",
            null,
            Formats.DURATION,
            WantedTopic.DEFAULT_DEAD_LETTER_RETENTION,
            "How long the brokers keep what is in it");

    public static final Setting<URI> WEBHOOK_URL =
            add("webhook.url", null, Formats.SECRET_URL, null, "Where events go that no route leads elsewhere");
    public static final Setting<Map<String, String>> WEBHOOK_ROUTES =
            add("webhook.routes", null, Formats.PAIRS, Map.of(), "URLs of event types that go elsewhere");
    public static final Setting<WebhookContent> WEBHOOK_FORMAT = add(
            "webhook.format",
            null,
            Formats.oneOf(WebhookContent.class),
            WebhookContent.STRUCTURED,
            "Attributes of a CloudEvent as headers (binary) or as one document with the payload (structured), or a"
                    + " message for people (discord)");
    public static final Setting<String> WEBHOOK_TEMPLATE = add(
            "webhook.template",
            null,
            Formats.TEXT,
            null,
            "The text of such a message, with names such as {type} or {payload.amount} to be filled in");
    public static final Setting<String> WEBHOOK_SOURCE =
            add("webhook.source", null, Formats.TEXT, "postrider", "CloudEvents source of events that name none");
    public static final Setting<Map<String, String>> WEBHOOK_HEADERS =
            add("webhook.headers", null, Formats.PAIRS, Map.of(), "Headers of every request, such as Authorization");
    public static final Setting<String> WEBHOOK_SECRET = add(
            "webhook.secret",
            null,
            Formats.SECRET,
            null,
            "Signs requests: whsec_…, several separated by spaces; there is no flag for it on purpose");
    public static final Setting<Path> WEBHOOK_SECRET_FILE =
            add("webhook.secret-file", null, Formats.FILE, null, "File that holds such secrets, one on each line");
    public static final Setting<Duration> WEBHOOK_CONNECT_TIMEOUT = add(
            "webhook.connect-timeout",
            null,
            Formats.DURATION,
            WebhookPublisher.DEFAULT_CONNECT_TIMEOUT,
            "How long a connection may take");
    public static final Setting<Duration> WEBHOOK_TIMEOUT = add(
            "webhook.timeout",
            null,
            Formats.DURATION,
            WebhookPublisher.DEFAULT_TIMEOUT,
            "How long a request may take with its answer");
    public static final Setting<Long> WEBHOOK_IN_FLIGHT = add(
            "webhook.in-flight",
            null,
            Formats.wholeNumber(1, 1_000),
            (long) WebhookPublisher.DEFAULT_IN_FLIGHT,
            "Requests that may be out together, of different keys");

    public static final Setting<Boolean> LOG_PAYLOAD =
            add("log.payload", null, Formats.YES_OR_NO, false, "With the log as destination: payloads too");

    public static final Setting<Destination> RELAY_DESTINATION = add(
            "relay.destination",
            "--destination",
            Formats.oneOf(Destination.class),
            Destination.KAFKA,
            "What events are delivered to");
    public static final Setting<String> RELAY_NAME = add(
            "relay.name",
            "--name",
            Formats.TEXT,
            null,
            "Name in logs and in status; if not set, made from the process id and four random digits");
    public static final Setting<Long> RELAY_BATCH_SIZE = add(
            "relay.batch-size",
            "--batch-size",
            Formats.wholeNumber(1, 10_000),
            (long) RELAY.batchSize(),
            "Events claimed at a time");
    public static final Setting<Duration> RELAY_POLL_INTERVAL = add(
            "relay.poll-interval",
            "--poll-interval",
            Formats.DURATION,
            RELAY.pollInterval(),
            "Longest wait between two looks at the table");
    public static final Setting<RelaySettings.Polling> RELAY_POLLING = add(
            "relay.polling",
            null,
            Formats.oneOf(RelaySettings.Polling.class),
            RELAY.polling(),
            "Look more often while there is traffic, or always at the interval");
    public static final Setting<Ordering> RELAY_ORDERING = add(
            "relay.ordering",
            "--ordering",
            Formats.oneOf(Ordering.class),
            RELAY.ordering(),
            "Keep order per key, or not");
    public static final Setting<OnPublished> RELAY_ON_PUBLISHED = add(
            "relay.on-published",
            "--on-published",
            Formats.oneOf(OnPublished.class),
            RELAY.onPublished(),
            "What becomes of the rows of delivered events");
    public static final Setting<Split> RELAY_SPLIT = add(
            "relay.split",
            "--split",
            Formats.SPLIT,
            RELAY.split(),
            "Static share of the keys: instance i of n; every instance must run");
    public static final Setting<Long> RELAY_MAX_BATCH_BYTES = add(
            "relay.max-batch-bytes",
            null,
            Formats.wholeNumber(1, Long.MAX_VALUE),
            RELAY.maxBatchBytes(),
            "A read ends before its events, with their headers, add up to more");
    public static final Setting<Long> RELAY_MAX_EVENT_BYTES = add(
            "relay.max-event-bytes",
            null,
            Formats.wholeNumber(1, Long.MAX_VALUE),
            RELAY.maxEventBytes(),
            "A larger event, with its headers, is a dead letter; at most relay.max-batch-bytes");
    public static final Setting<Long> RELAY_TRANSACTION_SIZE = add(
            "relay.transaction-size",
            null,
            Formats.wholeNumber(1, RelaySettings.MAX_TRANSACTION_SIZE),
            (long) RELAY.transactionSize(),
            "With exactly once: events committed together at the broker");
    public static final Setting<Duration> RELAY_LEASE_LENGTH = add(
            "relay.lease-length",
            null,
            Formats.DURATION,
            RELAY.leaseLength(),
            "After this time without a sign of life its events are taken by others");
    public static final Setting<Duration> RELAY_DRAIN_TIMEOUT = add(
            "relay.drain-timeout",
            null,
            Formats.DURATION,
            RELAY.drainTimeout(),
            "How long a stop waits for events in flight");
    public static final Setting<Duration> RELAY_NO_ANSWER_AFTER = add(
            "relay.no-answer-after",
            null,
            Formats.DURATION,
            RELAY.noAnswerAfter(),
            "When a destination that has not answered an event is warned of");
    public static final Setting<Duration> RELAY_CONNECT_TIMEOUT = add(
            "relay.connect-timeout",
            null,
            Formats.DURATION,
            RELAY.network().connect(),
            "How long a connection to the database is waited for; 10s at most");
    public static final Setting<Duration> RELAY_NETWORK_TIMEOUT = add(
            "relay.network-timeout",
            null,
            Formats.DURATION,
            RELAY.network().answer(),
            "How long an answer of the database is waited for; 10s at most");
    public static final Setting<Duration> RELAY_LEASE_NETWORK_TIMEOUT = add(
            "relay.lease-network-timeout",
            null,
            Formats.DURATION,
            RELAY.network().lease(),
            "The same for the renewal of leases");
    public static final Setting<Duration> RETRY_BASE =
            add("relay.retry.base", null, Formats.DURATION, RETRY.base(), "Wait before the first retry");
    public static final Setting<Double> RETRY_MULTIPLIER = add(
            "relay.retry.multiplier", null, Formats.number(1, 1_000), RETRY.multiplier(), "From one wait to the next");
    public static final Setting<Duration> RETRY_CAP =
            add("relay.retry.cap", null, Formats.DURATION, RETRY.cap(), "No wait is longer");
    public static final Setting<Double> RETRY_JITTER = add(
            "relay.retry.jitter",
            null,
            Formats.number(0, 1),
            RETRY.jitter(),
            "Share of a wait by which it may be longer");
    public static final Setting<Long> RETRY_MAX = add(
            "relay.retry.max-retries",
            null,
            Formats.wholeNumber(0, Integer.MAX_VALUE),
            (long) RETRY.maxRetries(),
            "Then the event is a dead letter");
    public static final Setting<Boolean> RETRY_COUNT_OUTAGES = add(
            "relay.retry.count-outages",
            null,
            Formats.YES_OR_NO,
            RELAY.countOutages(),
            "Whether an outage of the destination costs events their retries");
    public static final Setting<Long> CIRCUIT_WINDOW = add(
            "relay.circuit.window",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().window(),
            "So many of the destination's last answers decide whether it counts as down");
    public static final Setting<Long> CIRCUIT_MINIMUM_CALLS = add(
            "relay.circuit.minimum-calls",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().minimumCalls(),
            "With fewer answers nothing is decided");
    public static final Setting<Double> CIRCUIT_FAILURE_RATE = add(
            "relay.circuit.failure-rate",
            null,
            Formats.number(0, 100),
            RELAY.circuit().failureRate(),
            "Percentage of failures that opens the circuit");
    public static final Setting<Duration> CIRCUIT_OPEN_FOR = add(
            "relay.circuit.open-for",
            null,
            Formats.DURATION,
            RELAY.circuit().openFor(),
            "How long nothing is sent then");
    public static final Setting<Long> CIRCUIT_TRIAL_CALLS = add(
            "relay.circuit.trial-calls",
            null,
            Formats.wholeNumber(1, 100_000),
            (long) RELAY.circuit().trialCalls(),
            "So many events decide afterwards whether it closes");
    public static final Setting<DeadLetterSettings.Then> DEAD_LETTER_THEN = add(
            "relay.dead-letter.then",
            null,
            Formats.oneOf(DeadLetterSettings.Then.class),
            RELAY.deadLetters().then(),
            "What the later events of a dead letter's key do");
    public static final Setting<Path> DEAD_LETTER_FILE = add(
            "relay.dead-letter.file",
            null,
            Formats.FILE,
            RELAY.deadLetters().file(),
            "Takes dead letters that the database cannot take");

    public static final Setting<Integrity> RELAY_INTEGRITY = add(
            "relay.integrity",
            null,
            Formats.oneOf(Integrity.class),
            Integrity.OPTIONAL,
            "Whether an event without a content hash, as plain SQL writes it, is sent or a dead letter");
    public static final Setting<Path> RELAY_INTEGRITY_KEY_FILE = add(
            "relay.integrity-key-file",
            null,
            Formats.FILE,
            null,
            "File with the secret by which writers sign events; then no other event is sent");

    public static final Setting<Duration> RETENTION_PUBLISHED = add(
            "retention.published",
            null,
            Formats.DURATION,
            null,
            "How long delivered events are kept; if not set, for ever");
    public static final Setting<LocalTime> RETENTION_AT = add(
            "retention.at",
            null,
            Formats.TIME_OF_DAY,
            LocalTime.of(2, 0),
            "When older ones are deleted, every day, by the database's clock");
    public static final Setting<ZoneId> RETENTION_ZONE =
            add("retention.zone", null, Formats.ZONE, ZoneId.of("UTC"), "Time zone of that time of day");
    public static final Setting<Duration> RETENTION_EVERY =
            add("retention.every", null, Formats.DURATION, null, "Delete at this interval instead of daily");

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
    public static final Setting<Duration> ALERTS_OLDEST_AGE = add(
            "alerts.oldest-age",
            null,
            Formats.DURATION,
            null,
            "An event older than this not yet published; if not set, off");
    public static final Setting<Boolean> ALERTS_CIRCUIT_OPEN =
            add("alerts.circuit-open", null, Formats.YES_OR_NO, RULES.circuitOpen(), "The destination counts as down");
    public static final Setting<Long> ALERTS_UNANSWERED = threshold(
            "alerts.unanswered",
            RULES.unanswered(),
            "More events than this without an answer for longer than relay.no-answer-after");
    public static final Setting<Boolean> ALERTS_INCLUDE_PAYLOAD = add(
            "alerts.include-payload",
            null,
            Formats.YES_OR_NO,
            RELAY.deadLetters().tellPayload(),
            "Whether a dead letter that neither table nor file takes is told with its payload, in alerts and in the log");
    public static final Setting<Duration> ALERTS_COOL_DOWN =
            add("alerts.cool-down", null, Formats.DURATION, RULES.coolDown(), "The same is not told again before");
    public static final Setting<Duration> ALERTS_INTERVAL =
            add("alerts.interval", null, Formats.DURATION, RULES.interval(), "How often levels are looked at");
    public static final Setting<Boolean> ALERTS_LOG = add("alerts.log", null, Formats.YES_OR_NO, true, "Tell the log");
    public static final Setting<URI> ALERTS_DISCORD_URL =
            add("alerts.discord-url", null, Formats.SECRET_URL, null, "Tell this webhook of Discord's");
    public static final Setting<URI> ALERTS_SLACK_URL =
            add("alerts.slack-url", null, Formats.SECRET_URL, null, "Tell this webhook of Slack's");
    public static final Setting<URI> ALERTS_WEBHOOK_URL =
            add("alerts.webhook-url", null, Formats.SECRET_URL, null, "Tell this URL, in JSON");

    /** Where a group's name alone is enough: {@code kafka: localhost:9092}. */
    private static final Map<String, Setting<?>> SHORT_KEYS = Map.of("kafka", KAFKA_SERVERS);

    private KnownSettings() {}

    private static Setting<Long> threshold(String key, long standard, String description) {
        return add(
                key,
                null,
                Formats.THRESHOLD,
                standard,
                "Alert: " + Character.toLowerCase(description.charAt(0)) + description.substring(1));
    }

    /** In the order in which they are documented. */
    static List<Setting<?>> all() {
        return List.copyOf(TABLE);
    }

    /** Every key, and every path that leads to one. */
    static Set<String> keysAndGroups() {
        Set<String> paths = new TreeSet<>();
        for (Setting<?> setting : TABLE) {
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
        return TABLE.stream()
                .filter(setting -> List.of(paths).stream().anyMatch(setting::isWithin))
                .toList();
    }

    static Optional<Setting<?>> byKey(String key) {
        Optional<Setting<?>> known =
                TABLE.stream().filter(setting -> setting.key().equals(key)).findFirst();
        return known.isPresent() ? known : Optional.ofNullable(SHORT_KEYS.get(key));
    }

    static Optional<Setting<?>> byVariable(String variable) {
        Optional<Setting<?>> known = TABLE.stream()
                .filter(setting -> setting.variable().equals(variable))
                .findFirst();
        return known.isPresent()
                ? known
                : SHORT_KEYS.entrySet().stream()
                        .filter(entry -> Setting.variable(entry.getKey()).equals(variable))
                        .<Setting<?>>map(Map.Entry::getValue)
                        .findFirst();
    }

    private static <T> Setting<T> add(
            String key, @Nullable String flag, Format<T> format, @Nullable T standard, String description) {
        Setting<T> setting = new Setting<>(key, flag, format, standard, description);
        TABLE.add(setting);
        return setting;
    }
}
