package dev.postrider.spring.autoconfigure;

import dev.postrider.Delivery;
import dev.postrider.OutboxMode;
import dev.postrider.publish.webhook.WebhookContent;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be set under {@code postrider} beside the options of {@link dev.postrider.RelayOptions}, each of which is a
 * property of its own: {@code relay.batch-size} is {@code postrider.relay.batch-size}. Names that are neither are refused.
 *
 * @param enabled Whether there is an outbox at all.
 * @param table The outbox's table, with its schema if needed: table or schema.table.
 * @param dataSource Name of the bean of the data source that the outbox is in. By default the only one, or the primary
 *     one.
 * @param captureEvents Whether events published by ApplicationEventPublisher are written to the outbox, in the transaction
 *     that publishes them, if they are mapped.
 * @param schema The outbox's tables.
 * @param inbox The inbox, for those who handle events and requests once.
 * @param relay The relay, which delivers events.
 * @param handlers Methods with @OutboxHandler as destination.
 * @param listener Methods with @PostriderListener.
 * @param kafka Kafka as destination. How to reach it is taken from spring.kafka.*.
 * @param webhook Webhooks as destination.
 * @param log The log as destination.
 * @param devservices Servers of postrider-devservices, if that is on the class path.
 * @param endpoints What Actuator's endpoints show.
 * @param outboxes Further outboxes by their names, each with a table, a data-source and whatever can be set below
 *     postrider.schema, relay, handlers, kafka, webhook and log and as an option. What is not set for one is as below postrider.
 */
@ConfigurationProperties(prefix = "postrider")
public record PostriderProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("outbox") String table,
        @Nullable String dataSource,
        @DefaultValue("false") boolean captureEvents,
        @DefaultValue Schema schema,
        @DefaultValue Inbox inbox,
        @DefaultValue Relay relay,
        @DefaultValue Handlers handlers,
        @DefaultValue Listener listener,
        @DefaultValue Kafka kafka,
        @DefaultValue Webhook webhook,
        @DefaultValue Log log,
        @DefaultValue Devservices devservices,
        @DefaultValue Endpoints endpoints,
        @DefaultValue Map<String, FurtherOutbox> outboxes) {

    /**
     * The outbox's tables.
     *
     * @param initialize Whether the tables are made and brought up to date when the application starts, after its own
     *     migrations. With 'never' they are looked at, and the start ends with what to run if they cannot be used.
     * @param mode How relays read a new outbox: as a log, or by claiming rows. If not set, log on PostgreSQL and claim
     *     elsewhere. An outbox that exists keeps its own.
     * @param shards Parts of a new log that relays can read at the same time. If not set, 4.
     * @param delivery How often an event of a new outbox may arrive. Exactly once needs log mode. If not set, at least
     *     once.
     */
    public record Schema(
            @DefaultValue("never") Initialize initialize,
            @Nullable OutboxMode mode,
            @Nullable Integer shards,
            @Nullable Delivery delivery) {}

    /**
     * The inbox, for those who handle events and requests once.
     *
     * @param table The inbox's table, with its schema if needed. It is made if a bean of the application uses the inbox.
     * @param consumer Whose marks these are. If not set, those of spring.application.name.
     * @param retention How long marks are kept: longer than topics keep events. Older ones are deleted when
     *     postrider.retention.at or postrider.retention.every says. If not set, none are.
     */
    public record Inbox(
            @DefaultValue("inbox") String table,
            @Nullable String consumer,
            @Nullable Duration retention) {}

    /** Whether tables are made at the start. */
    public enum Initialize {
        /** Tables are made and brought up to date. */
        ALWAYS,
        /** Tables are looked at only. */
        NEVER
    }

    /**
     * The relay, which delivers events.
     *
     * @param enabled Whether this application delivers events. If not, it only writes them, and relays in other processes
     *     are told after each commit.
     * @param destination What events are delivered to. A bean of the type Publisher comes before it.
     * @param replication Who reads PostgreSQL's replication stream, which then wakes the relay. A bean of the type
     *     Replication comes before it.
     */
    public record Relay(
            @DefaultValue("true") boolean enabled,
            @Nullable Destination destination,
            @DefaultValue ReplicationRole replication) {}

    /**
     * Who reads PostgreSQL's replication stream.
     *
     * @param user Role that may read PostgreSQL's replication stream, best one of its own. If not set, nobody does.
     * @param password Password of the role that reads the replication stream.
     * @param url JDBC URL of the outbox's database. If not set, that of spring.datasource.
     */
    public record ReplicationRole(
            @Nullable String user,
            @Nullable String password,
            @Nullable String url) {
        /** Without the password. */
        @Override
        public String toString() {
            return "ReplicationRole[user=" + user + ", url=" + url + "]";
        }
    }

    /** What events are delivered to. */
    public enum Destination {
        /** Topics of Kafka. */
        KAFKA,
        /** URLs. */
        WEBHOOK,
        /** Methods of the application's beans with @OutboxHandler. */
        HANDLERS,
        /** The application's log, for a first look. */
        LOG
    }

    /**
     * Methods with @OutboxHandler as destination.
     *
     * @param concurrency Handlers that run at the same time, each on an event of a different key.
     * @param timeout A handler that takes longer is interrupted, and its event is tried again.
     */
    public record Handlers(
            @DefaultValue("8") int concurrency,
            @DefaultValue("30s") Duration timeout) {}

    /**
     * Methods with @PostriderListener.
     *
     * @param group Consumer group of listeners that name none. If not set, spring.kafka.consumer.group-id, or
     *     spring.application.name.
     * @param startAt Where a group starts that has never committed anything.
     * @param concurrency Consumers of each listener that names no other number.
     * @param batchSize Records read at a time.
     * @param deadLetterSuffix Appended to a topic's name to get its dead letter topic.
     * @param sessionTimeout After this time without a heartbeat a consumer's partitions go to others.
     * @param heartbeatInterval How often a consumer sends a heartbeat.
     * @param maxPollInterval Longest time for one batch. After it a consumer's partitions go to others.
     * @param retry When records that failed are tried again, and how often.
     * @param properties Any other property of Kafka's consumer, over those of spring.kafka.* that say how to connect.
     */
    public record Listener(
            @Nullable String group,
            @DefaultValue("latest") StartAt startAt,
            @DefaultValue("1") int concurrency,
            @DefaultValue("100") int batchSize,
            @DefaultValue(".dlq") String deadLetterSuffix,
            @DefaultValue("30s") Duration sessionTimeout,
            @DefaultValue("10s") Duration heartbeatInterval,
            @DefaultValue("5m") Duration maxPollInterval,
            @DefaultValue Retry retry,
            @DefaultValue Map<String, String> properties) {}

    /** Where a group starts. Not Postrider's own type, which is there only if Kafka is. */
    public enum StartAt {
        /** With records that arrive from now on. */
        LATEST,
        /** With the oldest record there is. */
        EARLIEST
    }

    /**
     * When records that failed are tried again.
     *
     * @param base Wait before the first retry.
     * @param multiplier Factor from one wait to the next.
     * @param cap Longest wait between two attempts.
     * @param jitter Random extra wait, as a share of the wait.
     * @param maxRetries A record goes to the dead letter topic after this many retries.
     */
    public record Retry(
            @DefaultValue("1s") Duration base,
            @DefaultValue("2") double multiplier,
            @DefaultValue("1m") Duration cap,
            @DefaultValue("0.1") double jitter,
            @DefaultValue("3") int maxRetries) {}

    /**
     * Kafka as destination.
     *
     * @param contentMode CloudEvents attributes as headers (binary), or as one document with the payload (structured).
     * @param bodyIdField Field of JSON payloads that gets the event's id too.
     * @param topicPrefix Prefix of every topic's name.
     * @param routes Topics of event types that do not follow the convention.
     * @param properties Any property of Kafka's producer, over those of spring.kafka.* that say how to connect.
     */
    public record Kafka(
            @DefaultValue("binary") ContentMode contentMode,
            @Nullable String bodyIdField,
            @DefaultValue("") String topicPrefix,
            @DefaultValue Map<String, String> routes,
            @DefaultValue Map<String, String> properties) {}

    /** How a CloudEvent becomes a record. Not Postrider's own type, which is there only if Kafka is. */
    public enum ContentMode {
        /** Attributes are headers. */
        BINARY,
        /** Attributes and payload are one document. */
        STRUCTURED
    }

    /**
     * Webhooks as destination.
     *
     * @param url Where events go that no route leads elsewhere.
     * @param routes URLs of event types that go elsewhere.
     * @param format Attributes of a CloudEvent as headers (binary) or as one document with the payload (structured), or a
     *     message for people (discord).
     * @param template The text of such a message, with names such as {type} or {payload.amount} to be filled in.
     * @param headers Headers of every request, such as Authorization.
     * @param secret Secrets that sign requests, each of the form whsec_…; several while one replaces another.
     * @param connectTimeout How long a connection may take.
     * @param timeout How long a request may take with its answer.
     * @param inFlight Requests that may be out together, of different keys.
     */
    public record Webhook(
            @Nullable URI url,
            @DefaultValue Map<String, String> routes,
            @DefaultValue("structured") WebhookContent format,
            @Nullable String template,
            @DefaultValue Map<String, String> headers,
            @DefaultValue List<String> secret,
            @DefaultValue("10s") Duration connectTimeout,
            @DefaultValue("30s") Duration timeout,
            @DefaultValue("16") int inFlight) {}

    /**
     * The log as destination.
     *
     * @param payload Whether payloads are logged too.
     */
    public record Log(@DefaultValue("false") boolean payload) {}

    /**
     * Servers of postrider-devservices, if that is on the class path.
     *
     * @param enabled Whether servers for development are started for an application that says of none where it is.
     * @param database Which database is started. If not set, the one that spring.datasource.driver-class-name is for, or
     *     PostgreSQL.
     * @param kafka Whether a Kafka is started too.
     */
    public record Devservices(
            @DefaultValue("true") boolean enabled,
            @Nullable DevelopmentDatabase database,
            @DefaultValue("true") boolean kafka) {}

    /** A database for development. */
    public enum DevelopmentDatabase {
        /** PostgreSQL. */
        POSTGRES,
        /** MariaDB. */
        MARIADB
    }

    /**
     * What Actuator's endpoints show.
     *
     * @param showPayloads Whether the endpoint postriderdeadletters shows payloads and headers of events.
     */
    public record Endpoints(@DefaultValue("never") ShowPayloads showPayloads) {}

    /** Whether payloads are shown. */
    public enum ShowPayloads {
        /** Nobody sees them. */
        NEVER,
        /** Whoever may read the endpoint sees them. */
        ALWAYS
    }

    /**
     * What is set for a further outbox.
     *
     * @param table Its table, with its schema if needed.
     * @param dataSource Name of the bean of the data source that it is in. If not set, that of the main outbox.
     * @param schema Its tables.
     * @param relay Its relay.
     * @param handlers Methods with @OutboxHandler as its destination.
     * @param kafka Kafka as its destination.
     * @param webhook Webhooks as its destination.
     * @param log The log as its destination.
     */
    public record FurtherOutbox(
            @DefaultValue("outbox") String table,
            @Nullable String dataSource,
            @DefaultValue Schema schema,
            @DefaultValue Relay relay,
            @DefaultValue Handlers handlers,
            @DefaultValue Kafka kafka,
            @DefaultValue Webhook webhook,
            @DefaultValue Log log) {}
}
