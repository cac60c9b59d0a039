package dev.postrider.kafka.topics;

import org.jspecify.annotations.Nullable;

/** A difference between a wanted topic and the existing one, and what would be done about it. */
public sealed interface TopicStep {

    String topic();

    /** The topic does not exist, and is created. */
    record Create(WantedTopic wanted) implements TopicStep {
        @Override
        public String topic() {
            return wanted.name();
        }
    }

    /**
     * It has fewer partitions than wanted. Adding partitions changes which partition a key belongs to, so that new
     * events of a key may be read before older ones. So this is done only on request.
     */
    record AddPartitions(String topic, int from, int to) implements TopicStep {}

    /**
     * One of its settings is different.
     *
     * @param from null if the brokers do not know it
     */
    record ChangeSetting(
            String topic, String setting, @Nullable String from, String to) implements TopicStep {}

    /** It differs in a way that is never changed, because records would be lost or moved between brokers. */
    record LeftUnchanged(String topic, String what, int is, int wanted, String reason) implements TopicStep {}

    /** Nothing to do. */
    record AsWanted(String topic) implements TopicStep {}
}
