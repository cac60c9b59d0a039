package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** Whether the topics of the outbox's latest events exist. */
final class Topics implements Check {
    private final Cluster cluster;
    private final EventTopics destinations;

    Topics(Cluster cluster, EventTopics destinations) {
        this.cluster = cluster;
        this.destinations = destinations;
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        destinations
                .unroutable()
                .forEach(type -> findings.add(Finding.error(
                        "The event type [" + type + "] leads to no topic: its events become dead letters.",
                        "kafka.routes: {" + type + ": some-topic}, or a type with a second segment such as"
                                + " acme.order.paid.v1")));
        cluster.missing().forEach(topic -> findings.add(missing(topic)));
        cluster.forbidden()
                .forEach(topic -> findings.add(Finding.error(
                        "Kafka does not let this user see the topic " + topic + ", so no relay can send to it.",
                        "kafka-acls.sh --bootstrap-server " + cluster.servers()
                                + " --add --allow-principal User:NAME --producer --topic " + topic)));
        List<String> hidden = cluster.topics().stream()
                .filter(topic -> topic.settings().isEmpty())
                .map(Topic::name)
                .toList();
        if (!hidden.isEmpty()) {
            findings.add(Finding.info(
                    "Kafka does not show the settings of " + String.join(", ", hidden) + "; they were not checked.",
                    "kafka-acls.sh --bootstrap-server " + cluster.servers()
                            + " --add --allow-principal User:NAME --operation DescribeConfigs --topic '*'"));
        }
        if (findings.isEmpty()) {
            findings.add(
                    destinations.topics().isEmpty()
                            ? Finding.info("No events are known from the outbox, so no topic was looked at.", null)
                            : Finding.ok(exist()));
        }
        return findings;
    }

    private String exist() {
        List<String> names = cluster.topics().stream().map(Topic::name).toList();
        return names.size() == 1
                ? "The topic " + names.get(0) + " of the latest events exists."
                : "The " + Amounts.count(names.size(), "topic") + " of the latest events exist.";
    }

    private Finding missing(String topic) {
        String create =
                "Name it in topics.names and run 'postrider topics apply', or: kafka-topics.sh --bootstrap-server "
                        + cluster.servers() + " --create --topic " + topic
                        + " --partitions 12 --replication-factor "
                        + Math.min(3, cluster.brokers().size());
        if (!"true".equals(cluster.settings().get("auto.create.topics.enable"))) {
            return Finding.error("The topic " + topic + " does not exist, and Kafka does not create topics.", create);
        }
        String replicas = cluster.settings().getOrDefault("default.replication.factor", "1");
        String text = "The topic " + topic + " does not exist; Kafka will create it with "
                + cluster.settings().getOrDefault("num.partitions", "1") + " partitions and replication factor "
                + replicas + ".";
        return replicas.equals("1") ? Finding.warning(text, create) : Finding.info(text, create);
    }
}
