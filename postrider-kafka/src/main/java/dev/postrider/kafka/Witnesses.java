package dev.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of a transaction are: one record for each partition that it has written to. The position that is committed with
 * them names them in a header, so that whoever finds that position in a transaction that hangs can ask what has become of the events.
 * Not safe for use by several threads.
 */
final class Witnesses {
    private static final String HEADER = "witnesses";

    /** Some 300 partitions. A position has to fit into a record, whatever else is true. */
    private static final int MOST_BYTES = 16 * 1024;

    private final Map<String, Map<Integer, Witness>> byPartition = new TreeMap<>();

    /** The first of each partition is enough. */
    void add(RecordMetadata accepted) {
        Map<Integer, Witness> ofTopic = byPartition.computeIfAbsent(accepted.topic(), any -> new TreeMap<>());
        Witness known = ofTopic.get(accepted.partition());
        if (known == null || known.offset() < 0) {
            // A record that was sent twice can be accepted without an offset.
            ofTopic.put(
                    accepted.partition(),
                    new Witness(
                            new TopicPartition(accepted.topic(), accepted.partition()),
                            accepted.hasOffset() ? accepted.offset() : -1,
                            accepted.timestamp()));
        }
    }

    /** By partition; negative where the producer was not told one. */
    Map<TopicPartition, Long> offsets() {
        return byPartition.values().stream()
                .flatMap(ofTopic -> ofTopic.values().stream())
                .collect(Collectors.toMap(Witness::partition, Witness::offset));
    }

    /** Adds nothing at all if they are not complete, or too many: then nobody may conclude anything from them. */
    void writeTo(Headers headers) {
        List<Witness> all = byPartition.values().stream()
                .flatMap(ofTopic -> ofTopic.values().stream())
                .toList();
        byte[] text = all.stream()
                .map(one -> one.partition().topic() + " " + one.partition().partition() + " " + one.offset() + " "
                        + one.timestamp())
                .collect(Collectors.joining("\n"))
                .getBytes(UTF_8);
        if (text.length <= MOST_BYTES && all.stream().noneMatch(one -> one.offset() < 0)) {
            headers.add(HEADER, text);
        }
    }

    /**
     * @return none if the transaction had no events; null if it is not known where they are
     */
    static @Nullable List<Witness> of(Headers headers) {
        Header header = headers.lastHeader(HEADER);
        if (header == null || header.value() == null) {
            return null;
        }
        List<Witness> all = new ArrayList<>();
        for (String line : new String(header.value(), UTF_8).lines().toList()) {
            String[] parts = line.split(" ");
            if (parts.length != 4) {
                return null;
            }
            try {
                all.add(new Witness(
                        new TopicPartition(parts[0], Integer.parseInt(parts[1])),
                        Long.parseLong(parts[2]),
                        Long.parseLong(parts[3])));
            } catch (NumberFormatException e) {
                return null;
            }
        }
        return all;
    }
}
