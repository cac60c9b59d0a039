package dev.postrider.cli.doctor.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Looks at Kafka once, with all questions at the same time, and gives up after ten seconds at most. */
public final class ClusterLook {
    private static final Duration PATIENCE = Duration.ofSeconds(9);
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final Admin admin;
    private final String servers;
    private final long deadline = System.nanoTime() + PATIENCE.toNanos();

    private ClusterLook(Admin admin, String servers) {
        this.admin = admin;
        this.servers = servers;
    }

    /**
     * @param adminSettings how to connect
     * @param topics to look for
     * @throws KafkaException if Kafka cannot be reached
     */
    public static Cluster at(String servers, Map<String, Object> adminSettings, Collection<String> topics)
            throws InterruptedException {
        Admin admin = Admin.create(adminSettings);
        try {
            return new ClusterLook(admin, servers).look(new TreeSet<>(topics));
        } finally {
            admin.close(CLOSING);
        }
    }

    private Cluster look(Collection<String> names) throws InterruptedException {
        List<Node> brokers = List.copyOf(answer(admin.describeCluster().nodes()));
        ConfigResource broker =
                new ConfigResource(ConfigResource.Type.BROKER, brokers.get(0).idString());
        List<ConfigResource> resources = new ArrayList<>(List.of(broker));
        names.forEach(name -> resources.add(topic(name)));
        Map<ConfigResource, KafkaFuture<Config>> settings =
                admin.describeConfigs(resources).values();
        Map<String, KafkaFuture<TopicDescription>> descriptions =
                admin.describeTopics(names).topicNameValues();

        List<Topic> topics = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        List<String> forbidden = new ArrayList<>();
        for (String name : names) {
            try {
                TopicDescription description = answer(descriptions.get(name));
                topics.add(new Topic(description, visible(settings.get(topic(name)))));
            } catch (UnknownTopicOrPartitionException e) {
                missing.add(name);
            } catch (AuthorizationException e) {
                forbidden.add(name);
            }
        }
        return new Cluster(servers, brokers, visible(settings.get(broker)), topics, missing, forbidden);
    }

    private static ConfigResource topic(String name) {
        return new ConfigResource(ConfigResource.Type.TOPIC, name);
    }

    private Map<String, String> visible(KafkaFuture<Config> config) throws InterruptedException {
        Map<String, String> byName = new HashMap<>();
        try {
            for (ConfigEntry entry : answer(config).entries()) {
                if (entry.value() != null) {
                    byName.put(entry.name(), entry.value());
                }
            }
        } catch (AuthorizationException e) {
            // To see a setting is another right than to send.
        }
        return byName;
    }

    private <T> T answer(KafkaFuture<T> future) throws InterruptedException {
        try {
            return future.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof KafkaException known) {
                throw known;
            }
            throw new KafkaException(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            throw new org.apache.kafka.common.errors.TimeoutException(
                    "no answer within " + PATIENCE.toSeconds() + " s", e);
        }
    }
}
