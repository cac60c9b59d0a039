package dev.postrider.devservices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link DevKafka}: those we need, those we choose, those the user chose. */
final class KafkaSettings {

    /** What would separate the brokers from the object that stands for them. */
    private static final List<String> REFUSED = List.of(
            "process.roles",
            "node.id",
            "broker.id",
            "listeners",
            "advertised.listeners",
            "controller.listener.names",
            "controller.quorum.voters",
            "controller.quorum.bootstrap.servers",
            "inter.broker.listener.name",
            "security.inter.broker.protocol",
            "listener.security.protocol.map",
            "log.dir",
            "log.dirs",
            "metadata.log.dir");

    private final Map<String, String> chosen = new LinkedHashMap<>();
    private @Nullable SecondListener secondListener;

    /** @param advertised where clients of this listener are sent, which somebody forwards to {@code port} */
    record SecondListener(int port, int advertised) {}

    KafkaSettings() {}

    KafkaSettings(KafkaSettings other) {
        chosen.putAll(other.chosen);
        secondListener = other.secondListener;
    }

    void secondListener(SecondListener listener) {
        secondListener = listener;
    }

    void put(String name, String value) {
        if (REFUSED.contains(name)) {
            throw new IllegalArgumentException("the Kafka setting " + name
                    + " cannot be chosen: it decides who and where the brokers are, which brokers(int) and"
                    + " dataDirectory(Path) do");
        }
        chosen.put(name, value);
    }

    Properties of(KafkaBroker broker, List<KafkaBroker> all) {
        boolean replicated = all.size() > 1;
        String replicas = replicated ? "3" : "1";
        String inSync = replicated ? "2" : "1";
        List<String> voters = new ArrayList<>();
        all.forEach(each -> voters.add(each.id() + "@127.0.0.1:" + each.ports().controller()));

        Properties properties = new Properties();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", Integer.toString(broker.id()));
        properties.put(
                "listeners",
                "PLAINTEXT://" + broker.address() + ",CONTROLLER://127.0.0.1:"
                        + broker.ports().controller());
        properties.put("advertised.listeners", "PLAINTEXT://" + broker.address());
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("controller.quorum.voters", String.join(",", voters));
        properties.put("inter.broker.listener.name", "PLAINTEXT");
        properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        properties.put("log.dirs", broker.data().toString());
        SecondListener second = secondListener;
        if (second != null) {
            properties.merge("listeners", ",SECOND://127.0.0.1:" + second.port(), KafkaSettings::joined);
            properties.merge(
                    "advertised.listeners", ",SECOND://127.0.0.1:" + second.advertised(), KafkaSettings::joined);
            properties.merge("listener.security.protocol.map", ",SECOND:PLAINTEXT", KafkaSettings::joined);
        }

        properties.put("auto.create.topics.enable", "true");
        properties.put("num.partitions", "12");
        properties.put("default.replication.factor", replicas);
        properties.put("min.insync.replicas", inSync);
        for (String topic : List.of("transaction.state.log", "share.coordinator.state.topic")) {
            properties.put(topic + ".replication.factor", replicas);
            properties.put(topic + ".min.isr", inSync);
            properties.put(topic + ".num.partitions", "3");
        }
        properties.put("offsets.topic.replication.factor", replicas);
        properties.put("offsets.topic.num.partitions", "3");

        // A killed broker is missed soon, and taken back soon: a new one asks to be let in at once and then after
        // 0.1, 0.3, 0.7, 1.5 and 3.1 s, and is refused as long as the session of its predecessor lasts.
        properties.put("broker.heartbeat.interval.ms", "500");
        properties.put("broker.session.timeout.ms", "2500");
        properties.put("controller.quorum.election.timeout.ms", "500");
        properties.put("controller.quorum.fetch.timeout.ms", "1000");
        properties.put("replica.lag.time.max.ms", "5000");
        // A consumer in a test may ask for a session as short as it likes.
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("group.min.session.timeout.ms", "500");

        // The default is a quarter of the heap.
        properties.put("log.cleaner.dedupe.buffer.size", "4194304");
        properties.putAll(chosen);
        return properties;
    }

    private static Object joined(Object before, Object more) {
        return before.toString() + more;
    }
}
