package dev.postrider.spring.autoconfigure;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevServicesException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;

/** The Kafka that all contexts of this process share. */
record DevKafkaDetails(List<String> servers) implements KafkaConnectionDetails {
    private static final Logger log = LoggerFactory.getLogger(DevKafkaDetails.class);

    static DevKafkaDetails start() {
        String servers;
        try {
            servers = DevKafka.shared().bootstrapServers();
        } catch (DevServicesException e) {
            throw new PostriderStartException(
                    "No property says where Kafka is, and postrider-devservices could not start one: " + e.getMessage(),
                    "Set spring.kafka.bootstrap-servers, or postrider.devservices.kafka=false.",
                    e);
        }
        log.warn(
                "Started a Kafka for development, since spring.kafka.bootstrap-servers is not set. NOTHING IN IT OUTLIVES THIS PROCESS: {}",
                servers);
        return new DevKafkaDetails(List.of(servers.split(",")));
    }

    @Override
    public List<String> getBootstrapServers() {
        return servers;
    }
}
