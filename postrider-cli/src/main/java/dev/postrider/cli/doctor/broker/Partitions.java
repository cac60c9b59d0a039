package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartitionInfo;

/** Whether every partition can be written to, and is copied to where it should be. */
final class Partitions implements Check {
    private final Cluster cluster;

    Partitions(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        for (Topic topic : cluster.topics()) {
            String leaderless = numbers(topic, Partitions::isLeaderless);
            if (!leaderless.isEmpty()) {
                findings.add(Finding.error(
                        "No broker leads " + leaderless + " of " + topic.name()
                                + ": the keys in it wait until its brokers are back.",
                        "start the brokers that are down"));
            }
            String behind = numbers(
                    topic,
                    partition -> !isLeaderless(partition)
                            && partition.isr().size() < partition.replicas().size());
            if (!behind.isEmpty()) {
                findings.add(Finding.error(
                        "Not all replicas of " + behind + " of " + topic.name() + " are in sync.",
                        "start the brokers that are down, or wait if they have just come back"));
            }
        }
        if (findings.isEmpty() && !cluster.topics().isEmpty()) {
            findings.add(Finding.ok("Every partition has a leader, and all its replicas are in sync."));
        }
        return findings;
    }

    private static boolean isLeaderless(TopicPartitionInfo partition) {
        return partition.leader() == null || partition.leader().isEmpty();
    }

    private static String numbers(Topic topic, Predicate<TopicPartitionInfo> which) {
        String list = topic.partitions().stream()
                .filter(which)
                .map(partition -> String.valueOf(partition.partition()))
                .collect(Collectors.joining(", "));
        return list.isEmpty() ? "" : (list.contains(",") ? "partitions " : "partition ") + list;
    }
}
