package dev.postrider.cli.destination.kafka;

import dev.postrider.PostriderException;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.doctor.DestinationChecks;
import dev.postrider.cli.doctor.broker.KafkaChecks;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;

/** The Kafka that events go to, as it is set. */
public final class KafkaTarget implements EventTarget {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Settings settings;
    private final String servers;

    public KafkaTarget(Settings settings) {
        this.settings = settings;
        this.servers = settings.require(KafkaSettings.SERVERS);
    }

    @Override
    public String name() {
        return "Kafka";
    }

    @Override
    public String places() {
        return "the topics of their types";
    }

    /**
     * {@inheritDoc}
     *
     * @throws UsageException if Kafka's client does not accept the settings
     */
    @Override
    public KafkaPublisher publisher() {
        try {
            KafkaPublisher.Builder builder = KafkaPublisher.builder(servers)
                    .routing(routing())
                    .contentMode(settings.get(KafkaSettings.CONTENT_MODE))
                    .bodyIdField(settings.find(KafkaSettings.BODY_ID_FIELD).orElse(null))
                    .defaultSource(settings.get(KafkaSettings.SOURCE));
            settings.get(KafkaSettings.PROPERTIES).forEach(builder::property);
            return builder.build();
        } catch (PostriderException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** The way from a type to its topic. */
    public TopicRouting routing() {
        TopicRouting routing = TopicRouting.byConvention().prefix(settings.get(KafkaSettings.TOPIC_PREFIX));
        for (Map.Entry<String, String> route :
                settings.get(KafkaSettings.ROUTES).entrySet()) {
            routing = routing.route(route.getKey(), route.getValue());
        }
        return routing;
    }

    /** The largest message the producer sends, in bytes. */
    public long maxRequestSize() {
        String name = ProducerConfig.MAX_REQUEST_SIZE_CONFIG;
        String standard =
                String.valueOf(ProducerConfig.configDef().defaultValues().get(name));
        return Long.parseLong(settings.get(KafkaSettings.PROPERTIES).getOrDefault(name, standard));
    }

    public String servers() {
        return servers;
    }

    @Override
    public Optional<String> problem() throws InterruptedException {
        try (Admin admin = Admin.create(adminSettings())) {
            admin.describeCluster().nodes().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return Optional.empty();
        } catch (TimeoutException e) {
            return Optional.of(servers + " does not answer within " + PATIENCE.toSeconds() + " s");
        } catch (ExecutionException | KafkaException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return Optional.of(servers + ": " + root.getMessage());
        }
    }

    @Override
    public Optional<DestinationChecks> checks() {
        return Optional.of(new KafkaChecks(this));
    }

    /** Those of the producer's properties that say how to connect. */
    public Map<String, Object> adminSettings() {
        Map<String, Object> admin = new HashMap<>(settings.get(KafkaSettings.PROPERTIES));
        admin.keySet().retainAll(AdminClientConfig.configNames());
        admin.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        admin.put(AdminClientConfig.CLIENT_ID_CONFIG, "postrider-check");
        admin.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        admin.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        return admin;
    }
}
