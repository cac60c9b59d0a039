package dev.postrider.examples.logistics.demo;

import dev.postrider.devservices.DevKafka;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;

/** The topic of the order events, as those see it who run Kafka. */
final class Topic {
    private static final String LIMIT = "max.message.bytes";

    private final DevKafka kafka;
    private final String name;

    Topic(DevKafka kafka, String name) {
        this.kafka = kafka;
        this.name = name;
    }

    String name() {
        return name;
    }

    void create(int messageBytes) throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(name, 3, (short) 1).configs(Map.of(LIMIT, Integer.toString(messageBytes)));
            admin.createTopics(List.of(topic)).all().get();
        }
    }

    void allow(int messageBytes) throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            AlterConfigOp limit =
                    new AlterConfigOp(new ConfigEntry(LIMIT, Integer.toString(messageBytes)), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, name), List.of(limit)))
                    .all()
                    .get();
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }
}
