package dev.postrider.cli.kafka;

import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.TopicRouting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;

/** Where Kafka is and how it is used, as it is set. Contacts nobody unless it is told to. */
public final class KafkaAccess {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Settings settings;
    private final String servers;
    private final Map<String, String> properties;

    /**
     * @param directory from which relative paths start
     * @throws UsageException if something that is needed is not set, or a property is none of Kafka's
     */
    public KafkaAccess(Settings settings, Path directory) {
        this.settings = settings;
        this.servers = settings.require(KafkaSettings.SERVERS);
        this.properties = KafkaProperties.of(settings, directory);
    }

    /** Of Kafka's producer, as they are set: passwords may be among them. */
    public Map<String, String> properties() {
        return properties;
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
        return Long.parseLong(properties.getOrDefault(name, standard));
    }

    public String servers() {
        return servers;
    }

    /**
     * Contacts nobody.
     *
     * @throws UsageException if no client can be made with these settings, whether or not Kafka is there
     */
    public void requireUsable() {
        try {
            ClientUtils.createChannelBuilder(new AdminClientConfig(adminSettings()), Time.SYSTEM, new LogContext())
                    .close();
        } catch (KafkaException | IllegalArgumentException e) {
            throw new UsageException(
                    "Kafka's client cannot be used with these kafka.properties: " + root(e).getMessage());
        }
    }

    private static Throwable root(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Why it cannot be reached, if that is known. */
    public Optional<String> problem() throws InterruptedException {
        try (Admin admin = Admin.create(adminSettings())) {
            admin.describeCluster().nodes().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return Optional.empty();
        } catch (TimeoutException e) {
            return Optional.of(servers + " does not answer within " + PATIENCE.toSeconds() + " s");
        } catch (ExecutionException | KafkaException e) {
            return Optional.of(servers + ": " + root(e).getMessage());
        }
    }

    /** All properties that are set, with the servers: for clients of several kinds, each of which takes what it knows. */
    public Map<String, Object> clientSettings() {
        Map<String, Object> client = new HashMap<>(properties);
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        return client;
    }

    /** Those of the producer's properties that say how to connect. */
    public Map<String, Object> adminSettings() {
        Map<String, Object> admin = new HashMap<>(properties);
        admin.keySet().retainAll(AdminClientConfig.configNames());
        admin.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        admin.put(AdminClientConfig.CLIENT_ID_CONFIG, "postrider-check");
        admin.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        admin.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        return admin;
    }
}
