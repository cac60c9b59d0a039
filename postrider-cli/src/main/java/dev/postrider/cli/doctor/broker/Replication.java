package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** Whether an event that Kafka has accepted survives the loss of a disk. */
final class Replication implements Check {
    private final Cluster cluster;

    Replication(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        int fewest = Integer.MAX_VALUE;
        for (Topic topic : cluster.topics()) {
            fewest = Math.min(fewest, topic.replicas());
            if (topic.replicas() == 1) {
                findings.add(judge(topic));
            }
        }
        if (findings.isEmpty() && !cluster.topics().isEmpty()) {
            findings.add(Finding.ok("Every topic has replication factor " + fewest + " or more."));
        }
        return findings;
    }

    private Finding judge(Topic topic) {
        if (cluster.brokers().size() == 1) {
            return Finding.warning(
                    "The topic " + topic.name() + " has replication factor 1 on the only broker: its events are on one"
                            + " disk, and lost with it.",
                    "run three brokers, and let kafka-reassign-partitions.sh give the topic three replicas");
        }
        return Finding.warning(
                "The topic " + topic.name() + " has replication factor 1, although there are "
                        + cluster.brokers().size() + " brokers: each of its events is on one disk, and lost with it.",
                "kafka-reassign-partitions.sh --bootstrap-server " + cluster.servers()
                        + " --execute --reassignment-json-file FILE  -- FILE lists three replicas for every partition"
                        + " of " + topic.name());
    }
}
