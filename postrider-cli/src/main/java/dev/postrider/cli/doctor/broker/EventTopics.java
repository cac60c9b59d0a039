package dev.postrider.cli.doctor.broker;

import dev.postrider.cli.doctor.check.OutboxTraffic;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.UnroutableEventException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the outbox's latest events go, sent or not.
 *
 * @param topics with the largest of these events' payloads, in bytes
 * @param unroutable types that lead to no topic
 */
public record EventTopics(Map<String, Long> topics, List<String> unroutable) {

    public EventTopics {
        topics = Map.copyOf(topics);
        unroutable = List.copyOf(unroutable);
    }

    /** If nothing is known. */
    static EventTopics none() {
        return new EventTopics(Map.of(), List.of());
    }

    /**
     * @param routing the relay's
     */
    static EventTopics of(OutboxTraffic outbox, TopicRouting routing) {
        Map<String, Long> topics = new TreeMap<>();
        List<String> unroutable = new ArrayList<>();
        outbox.largestPayloads().forEach((type, largest) -> {
            try {
                topics.merge(routing.topicOf(type), largest, Math::max);
            } catch (UnroutableEventException e) {
                unroutable.add(type);
            }
        });
        return new EventTopics(topics, unroutable);
    }
}
