package dev.postrider.kafka.consume;

import dev.postrider.PostriderException;
import dev.postrider.internal.lifecycle.Service;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.CommonClientConfigs;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of topics in batches and passes them to a handler, at least once and in order per key, as a member
 * of a consumer group, together with any number of other members, in this process or elsewhere.
 *
 * <p>A failed record is retried; its key waits for it, its partition is not read further meanwhile, and everything else
 * continues. After the last retry it goes to the dead letter topic, {@code TOPIC.dlq}, and its key continues. Offsets
 * are committed after the batch, never beyond a record that is neither handled nor in the dead letter topic.
 *
 * <p>The consumer calls the handler on its single thread; the handler may use any transaction. If a consumer dies
 * between that and its commit, the next one handles the events again: make the effect idempotent, by the event's id and
 * in the same transaction.
 *
 * <p>A consumer is started once and stopped once.
 */
public final class KafkaEventConsumer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaEventConsumer.class);

    private final ConsumerSettings settings;
    private final String group;
    private final List<String> topics;
    private final ConsumerLoop loop;
    private final Service service;

    private KafkaEventConsumer(Builder builder, Handling.Handlers handlers) {
        this.settings = builder.settings;
        this.group = builder.group;
        this.topics = builder.topics;
        this.loop = new ConsumerLoop(
                new ReadingSide.Opening(
                        ClientSettings.reader(settings, group, builder.properties),
                        topics,
                        settings.startAt(),
                        builder.listener,
                        new ConsumerLog(settings.name())),
                handlers,
                settings.retry(),
                new DeadLetterTopics(
                        ClientSettings.deadLetters(settings, builder.properties), settings.deadLetterSuffix(), group),
                builder.listener);
        this.service = Service.named("postrider-" + settings.name())
                .keepsProcessAlive()
                .onFailure((error, again) -> loop.failed(error))
                .atEnd(loop::end)
                .doing(loop::pass);
    }

    /**
     * @param bootstrapServers for example {@code localhost:9092}
     * @param group the consumer group: its members share the partitions, and each group gets every event
     */
    public static Builder builder(String bootstrapServers, String group) {
        return new Builder(bootstrapServers, group);
    }

    /** Starts reading on its own thread. If the brokers cannot be reached, it waits for them. */
    public synchronized void start() {
        if (service.isStarted()) {
            throw new PostriderException("Consumer " + settings.name() + " was started already.");
        }
        service.start();
        log.info("[{}] consumer started on {} as a member of {}", settings.name(), String.join(", ", topics), group);
    }

    public boolean isRunning() {
        return service.isAlive();
    }

    /**
     * Stops in this order: calls the handler no more; waits for a running handler, and interrupts it after the drain
     * timeout; commits what was handled; leaves the group, so that others take over at once. If the handler calls it,
     * it returns at once, and the rest happens when the handler has returned.
     */
    public void stop() {
        loop.askToStop();
        service.askToStop();
        if (service.isCurrent()) {
            return;
        }
        if (!service.awaitEnd(settings.drainTimeout())) {
            loop.interruptHandler();
            service.awaitEnd(settings.drainTimeout());
        }
        if (service.isAlive()) {
            log.warn(
                    "[{}] consumer is still busy after being interrupted; it ends, and commits, when its handler returns",
                    settings.name());
        } else {
            log.info("[{}] consumer stopped", settings.name());
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** Collects the parts of a consumer. Topics and a handler are required. */
    public static final class Builder {
        private final String group;
        private final Map<String, Object> properties = new HashMap<>();
        private List<String> topics = List.of();
        private ConsumerSettings settings = ConsumerSettings.defaults();
        private ConsumerListener listener = new ConsumerListener() {};
        private @Nullable EventHandler handler;
        private @Nullable BatchHandler batchHandler;
        private @Nullable RecordHandler otherRecords;
        private Predicate<? super Throwable> hopeless = error -> false;
        private Predicate<? super Throwable> outage = Outages::ofTheDatabase;

        private Builder(String bootstrapServers, String group) {
            this.group = group;
            properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        }

        public Builder topics(String... topics) {
            this.topics = List.of(topics);
            return this;
        }

        /** Gets one event at a time. Either this or {@link #batchHandler}. */
        public Builder handler(EventHandler handler) {
            this.handler = handler;
            return this;
        }

        /** Gets all events that were read at once; if that fails, one at a time. Either this or {@link #handler}. */
        public Builder batchHandler(BatchHandler handler) {
            this.batchHandler = handler;
            return this;
        }

        /** Gets the records that are not CloudEvents. Default: they go to the dead letter topic at once. */
        public Builder otherRecords(RecordHandler handler) {
            this.otherRecords = handler;
            return this;
        }

        /** Failures of the handler that no retry can fix: the record is given up at once. Default: none. */
        public Builder hopeless(Predicate<? super Throwable> failures) {
            this.hopeless = failures;
            return this;
        }

        /**
         * Failures that the record did not cause, because something that the handler needs is down: the handler is not
         * called for some time, 1 second at first and 30 at most, and no attempt is counted. Default: a JDBC connection
         * failed or could not be obtained.
         */
        public Builder outage(Predicate<? super Throwable> failures) {
            this.outage = failures;
            return this;
        }

        /** Default: {@link ConsumerSettings#defaults()}. */
        public Builder settings(ConsumerSettings settings) {
            this.settings = settings;
            return this;
        }

        /** Default: none. */
        public Builder listener(ConsumerListener listener) {
            this.listener = listener;
            return this;
        }

        /**
         * Any property of Kafka's consumer; overrides Postrider's defaults: read_committed, cooperative rebalancing, no
         * automatic creation of topics. Properties for the connection also apply to the producer that writes dead
         * letters.
         */
        public Builder property(String name, String value) {
            if (!ClientSettings.mayBeChosen(name, value)) {
                throw new PostriderException("The consumer property " + name + "=" + value
                        + " cannot be set here: it has an option of its own, or would break what Postrider promises.");
            }
            properties.put(name, value);
            return this;
        }

        /**
         * @throws PostriderException if something is missing, or Kafka's client does not accept the settings
         */
        public KafkaEventConsumer build() {
            if (group.isBlank()) {
                throw new PostriderException("A consumer needs a group; its name is empty.");
            }
            if (topics.isEmpty()) {
                throw new PostriderException("Consumer " + settings.name() + " has no topics; call topics(..).");
            }
            if ((handler == null) == (batchHandler == null)) {
                throw new PostriderException("Consumer " + settings.name() + " needs one handler: call handler(..) or"
                        + " batchHandler(..), and not both.");
            }
            return new KafkaEventConsumer(
                    this, new Handling.Handlers(handler, batchHandler, otherRecords, hopeless, outage));
        }
    }
}
