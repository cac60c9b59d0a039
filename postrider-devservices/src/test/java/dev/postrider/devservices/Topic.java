package dev.postrider.devservices;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic with one partition, as the clients of a test see it. */
record Topic(String bootstrapServers, String name) {

    private static final long PATIENCE_SECONDS = 30;

    static Topic create(DevKafka kafka, String name, Map<String, String> settings) throws Exception {
        try (Admin admin = admin(kafka)) {
            NewTopic topic = new NewTopic(name, Optional.of(1), Optional.empty()).configs(settings);
            admin.createTopics(List.of(topic)).all().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return new Topic(kafka.bootstrapServers(), name);
    }

    static Admin admin(DevKafka kafka) {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
    }

    /** Returns when all in-sync replicas have it. */
    void send(String value) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers, "acks", "all");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(name, value)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    List<String> values() {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "earliest");
        TopicPartition partition = new TopicPartition(name, 0);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }
}
