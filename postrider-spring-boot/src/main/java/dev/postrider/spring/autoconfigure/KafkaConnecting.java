package dev.postrider.spring.autoconfigure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.SslBundleSslEngineFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/** Of the properties of an application's Kafka clients those that say how to connect. */
final class KafkaConnecting {
    /** What their names begin with. */
    private static final List<String> NAMES = List.of(
            "security.",
            "ssl.",
            "sasl.",
            "client.dns.lookup",
            "connections.",
            "socket.",
            "reconnect.",
            "metadata.",
            SslBundle.class.getName());

    private KafkaConnecting() {}

    /** In the way that Spring Boot does it: connection details come over properties. */
    static Map<String, Object> of(Map<String, Object> properties, KafkaConnectionDetails.Configuration connection) {
        Map<String, Object> settings = new HashMap<>(properties);
        settings.keySet().removeIf(name -> NAMES.stream().noneMatch(name::startsWith));
        SslBundle bundle = connection.getSslBundle();
        if (bundle != null) {
            settings.put(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, SslBundleSslEngineFactory.class);
            settings.put(SslBundle.class.getName(), bundle);
        }
        String protocol = connection.getSecurityProtocol();
        if (StringUtils.hasText(protocol)) {
            settings.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol);
        }
        return settings;
    }
}
