package dev.postrider.cli.kafka;

import dev.postrider.cli.settings.OptionNames;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.TextFiles;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.settings.Nearest;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.slf4j.LoggerFactory;

/** What is set for Kafka's clients. These ignore names that they do not know. */
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

    /** Those of the file, and those of the settings, which have precedence. */
    static Map<String, String> of(Settings settings, Path directory) {
        Map<String, String> all = new HashMap<>();
        settings.find(KafkaSettings.PROPERTIES_FILE).ifPresent(file -> {
            Map<String, String> ofFile = read(directory, file);
            requireKnown(ofFile, file.toString(), all.keySet());
            all.putAll(ofFile);
        });
        Map<String, String> direct = settings.get(KafkaSettings.PROPERTIES);
        requireKnown(direct, "kafka.properties", all.keySet());
        all.putAll(direct);
        return Map.copyOf(all);
    }

    /** In the format of Java's properties, as the files that Kafka's own tools read. */
    private static Map<String, String> read(Path directory, Path file) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(TextFiles.read("file with Kafka's properties", directory, file)));
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("The file with Kafka's properties " + file + " cannot be read: " + e.getMessage());
        }
        if (properties.containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new UsageException(
                    file + " names bootstrap.servers: use " + OptionNames.ways(KafkaSettings.SERVERS) + " instead.");
        }
        if (TextFiles.isOpenToAll(directory.resolve(file)) && hasSecrets(properties)) {
            LoggerFactory.getLogger(KafkaProperties.class)
                    .warn("All users of this machine can read the passwords in {}. Run: chmod 600 {}", file, file);
        }
        return properties.stringPropertyNames().stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        name -> properties.getProperty(name).strip()));
    }

    private static boolean hasSecrets(Properties properties) {
        return properties.stringPropertyNames().stream()
                .anyMatch(name -> name.contains("password") || name.contains("jaas") || name.contains("secret"));
    }

    /**
     * @param others names that are set elsewhere
     */
    private static void requireKnown(Map<String, String> properties, String origin, Set<String> others) {
        if (Stream.concat(properties.keySet().stream(), others.stream()).anyMatch(PLUGINS::contains)) {
            return;
        }
        Set<String> known = new TreeSet<>(ProducerConfig.configNames());
        known.addAll(AdminClientConfig.configNames());
        for (String name : properties.keySet()) {
            if (!known.contains(name)) {
                throw new UsageException(origin + " names " + name + ", which is not a property of Kafka's producer"
                        + Nearest.hint(name, known));
            }
        }
    }
}
