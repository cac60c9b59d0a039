package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import java.util.LinkedHashMap;
import java.util.Map;

/** What is looked at in Kafka, by name. */
public final class BrokerChecks {
    private BrokerChecks() {}

    /**
     * @param maxRequestSize the producer's
     */
    public static Map<String, Check> of(Cluster cluster, EventTopics destinations, long maxRequestSize) {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("brokers", new Brokers(cluster));
        checks.put("topics", new Topics(cluster, destinations));
        checks.put("partitions", new Partitions(cluster));
        checks.put("replication", new Replication(cluster));
        checks.put("in-sync", new InSync(cluster));
        checks.put("message-size", new MessageSize(cluster, destinations, maxRequestSize));
        checks.put("cleanup", new Cleanup(cluster));
        return checks;
    }
}
