package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.DestinationChecks;
import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Limits;
import dev.postrider.cli.doctor.check.OutboxTraffic;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.kafka.KafkaPublisher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;

/** Looks at Kafka once, and hands what it saw to the checks. */
public final class KafkaChecks implements DestinationChecks {
    private final KafkaAccess kafka;

    public KafkaChecks(KafkaAccess kafka) {
        this.kafka = kafka;
    }

    @Override
    public Map<String, Check> of(OutboxTraffic outbox, Limits limits) throws InterruptedException {
        EventTopics events = EventTopics.of(outbox, kafka.routing());
        Cluster cluster;
        try {
            cluster = ClusterLook.at(
                    kafka.servers(), kafka.adminSettings(), events.topics().keySet());
        } catch (KafkaException e) {
            return Map.of("connection", () -> List.of(unreachable(e)));
        }
        Map<String, Check> checks = new LinkedHashMap<>(BrokerChecks.of(cluster, events, kafka.maxRequestSize()));
        List<String> topics = new ArrayList<>();
        outbox.exactlyOnceId().ifPresent(id -> topics.add(KafkaPublisher.POSITIONS_PREFIX + id));
        topics.addAll(events.topics().keySet());
        checks.put("transactions", new HangingTransactions(kafka, topics, limits));
        return checks;
    }

    private Finding unreachable(KafkaException e) {
        Throwable cause = e;
        while (cause.getCause() instanceof KafkaException deeper) {
            cause = deeper;
        }
        return Finding.error(
                "Kafka cannot be reached at " + kafka.servers() + ": " + Finding.sentence(cause)
                        + " Relays keep trying; no event loses a retry.",
                "see that the brokers run and are reachable from here under the names they advertise, and"
                        + " to kafka.bootstrap-servers and the security settings in kafka.properties");
    }
}
