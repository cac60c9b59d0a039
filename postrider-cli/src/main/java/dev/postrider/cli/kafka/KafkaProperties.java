package dev.postrider.cli.kafka;

import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.settings.Nearest;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The names in {@code kafka.properties}. Kafka's clients ignore those that they do not know. */
final class KafkaProperties {
    /** Those that name a class, which may have properties of its own. */
    private static final Set<String> PLUGINS = Set.of(
            "interceptor.classes",
            "metric.reporters",
            "config.providers",
            "security.providers",
            "ssl.engine.factory.class",
            "sasl.login.class",
            "sasl.login.callback.handler.class",
            "sasl.client.callback.handler.class",
            "sasl.oauthbearer.jwt.retriever.class",
            "sasl.oauthbearer.jwt.validator.class");

    private KafkaProperties() {}

    static void requireKnown(Map<String, String> properties) {
        if (properties.keySet().stream().anyMatch(PLUGINS::contains)) {
            return;
        }
        Set<String> known = new TreeSet<>(ProducerConfig.configNames());
        known.addAll(AdminClientConfig.configNames());
        for (String name : properties.keySet()) {
            if (!known.contains(name)) {
                throw new UsageException("kafka.properties names " + name
                        + ", which is not a property of Kafka's producer" + Nearest.hint(name, known));
            }
        }
    }
}
