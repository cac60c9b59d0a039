package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** Whether topics keep all events for their time, or only the last of each key. */
final class Cleanup implements Check {
    private final Cluster cluster;

    Cleanup(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        for (Topic topic : cluster.topics()) {
            if (topic.isCompacted()) {
                findings.add(Finding.info(
                        "The topic " + topic.name() + " is compacted: a consumer that comes late finds only the last"
                                + " event of each key.",
                        "if that is not meant: " + cluster.alter(topic.name(), "cleanup.policy=delete")));
            }
        }
        if (findings.isEmpty() && !cluster.topics().isEmpty()) {
            findings.add(Finding.ok("No topic is compacted."));
        }
        return findings;
    }
}
