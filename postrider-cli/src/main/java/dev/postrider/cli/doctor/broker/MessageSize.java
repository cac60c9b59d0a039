package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the largest of the latest events fits through the producer and into its topic. */
final class MessageSize implements Check {
    /** For key, headers and the framing of a record, so that what just fits is told before it does not. */
    private static final long OVERHEAD = 1024;

    private final Cluster cluster;
    private final EventTopics destinations;
    private final long maxRequestSize;

    MessageSize(Cluster cluster, EventTopics destinations, long maxRequestSize) {
        this.cluster = cluster;
        this.destinations = destinations;
        this.maxRequestSize = maxRequestSize;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        long largest = 0;
        for (Topic topic : cluster.topics()) {
            long payload = destinations.topics().getOrDefault(topic.name(), 0L);
            largest = Math.max(largest, payload);
            judge(topic, payload).ifPresent(findings::add);
        }
        if (findings.isEmpty() && !cluster.topics().isEmpty()) {
            findings.add(Finding.ok("The largest of the latest payloads has " + Amounts.bytes(largest) + " and fits."));
        }
        return findings;
    }

    private Optional<Finding> judge(Topic topic, long payload) {
        long topicLimit = topic.maxMessageBytes().orElse(Long.MAX_VALUE);
        String about = "An event for " + topic.name() + " has a payload of " + Amounts.bytes(payload) + "; ";
        if (payload + OVERHEAD > maxRequestSize) {
            return Optional.of(Finding.error(
                    about + "the producer's max.request.size is " + Amounts.bytes(maxRequestSize)
                            + ". What is larger becomes a dead letter.",
                    "kafka.properties: {max.request.size: " + roomFor(payload) + "}, or smaller payloads"));
        }
        if (payload + OVERHEAD > topicLimit) {
            return Optional.of(Finding.error(
                    about + "the topic's max.message.bytes is " + Amounts.bytes(topicLimit)
                            + ". What is larger, if need be after compression, becomes a dead letter.",
                    cluster.alter(topic.name(), "max.message.bytes=" + roomFor(payload)) + "  or smaller payloads"));
        }
        if (maxRequestSize > topicLimit) {
            return Optional.of(Finding.info(
                    "The producer's max.request.size, " + Amounts.bytes(maxRequestSize) + ", is more than the topic "
                            + topic.name() + " takes, " + Amounts.bytes(topicLimit)
                            + ": an event in between becomes a dead letter.",
                    cluster.alter(topic.name(), "max.message.bytes=" + maxRequestSize)));
        }
        return Optional.empty();
    }

    private static long roomFor(long payload) {
        return 2 * (payload + OVERHEAD);
    }
}
