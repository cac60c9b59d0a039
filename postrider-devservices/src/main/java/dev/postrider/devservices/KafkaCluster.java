package dev.postrider.devservices;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.common.Uuid;

/**
 * What has to stay the same when a Kafka data directory is used again, kept in a file there.
 *
 * @param id Kafka's own name for the cluster, which every broker has noted in its log directory
 */
record KafkaCluster(String id, int brokers) {

    /** The cluster that lives in the workspace, or a new one. */
    static KafkaCluster in(Workspace workspace, int brokers) {
        Path file = workspace.path().resolve("cluster.properties");
        try {
            if (!Files.exists(file)) {
                KafkaCluster created = new KafkaCluster(Uuid.randomUuid().toString(), brokers);
                created.write(file);
                return created;
            }
            KafkaCluster found = read(file);
            if (found.brokers != brokers) {
                throw new DevServicesException(
                        "the Kafka data directory " + workspace.path() + " belongs to a cluster of "
                                + found.brokers + ", not " + brokers + ": use brokers(" + found.brokers
                                + "), or choose another directory");
            }
            return found;
        } catch (IOException | IllegalArgumentException e) {
            throw new DevServicesException(
                    "cannot read or write " + file + ": " + e + "; delete the directory if it is damaged", e);
        }
    }

    private static KafkaCluster read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        return new KafkaCluster(
                properties.getProperty("cluster.id", ""), Integer.parseInt(properties.getProperty("brokers", "0")));
    }

    private void write(Path file) throws IOException {
        Properties properties = new Properties();
        properties.put("cluster.id", id);
        properties.put("brokers", Integer.toString(brokers));
        // Complete or not there at all: a kill in between must not leave half a file.
        Path unfinished = file.resolveSibling("cluster.properties.unfinished");
        try (Writer writer = Files.newBufferedWriter(unfinished)) {
            properties.store(writer, null);
        }
        Files.move(unfinished, file);
    }
}
