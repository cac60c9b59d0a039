package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** What {@code acks=all} means: how many replicas must have an event before it counts as accepted. */
final class InSync implements Check {
    private final Cluster cluster;

    InSync(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        List<Topic> judged = cluster.topics().stream()
                .filter(topic -> topic.minInSync().isPresent())
                .toList();
        judged.forEach(topic ->
                findings.addAll(judge(topic, topic.replicas(), topic.minInSync().orElseThrow())));
        if (findings.isEmpty() && !judged.isEmpty()) {
            findings.add(Finding.ok("min.insync.replicas suits the replication factor of every topic."));
        }
        return findings;
    }

    private List<Finding> judge(Topic topic, int replicas, int minimum) {
        String has = "The topic " + topic.name() + " has min.insync.replicas " + minimum + " with replication factor "
                + replicas + ": ";
        String fix = cluster.alter(topic.name(), "min.insync.replicas=" + Math.max(1, replicas - 1));
        if (minimum > replicas) {
            return List.of(Finding.error(has + "Kafka accepts no event at all.", fix));
        }
        if (minimum == replicas && replicas > 1) {
            return List.of(Finding.warning(has + "one broker down stops all writes.", fix));
        }
        if (minimum == 1 && replicas >= 3) {
            return List.of(Finding.warning(
                    has + "an event counts as accepted when one disk has it, and can be lost with it.", fix));
        }
        return List.of();
    }
}
