package dev.postrider.kafka.topics;

import org.jspecify.annotations.Nullable;

/** A difference between a topic that is wanted and what is there, and what would be done about it. */
public sealed interface TopicStep {

    String topic();

    /** It does not exist, and is created. */
    record Create(WantedTopic wanted) implements TopicStep {
        @Override
        public String topic() {
            return wanted.name();
        }
    }

    /**
     * It has fewer partitions than wanted. More of them change which partition a key belongs to, so that events of a key that
     * are written from then on may be read before those that were written until then. Hence only who asks for it gets it.
     */
    record AddPartitions(String topic, int from, int to) implements TopicStep {}

    /**
     * One of its settings is different.
     *
     * @param from null if the brokers do not know it
     */
    record ChangeSetting(
            String topic, String setting, @Nullable String from, String to) implements TopicStep {}

    /** It is different in a way that is not changed: records would be lost, or moved between brokers. */
    record LeaveAlone(String topic, String what, int is, int wanted, String reason) implements TopicStep {}

    /** Nothing is to be done. */
    record AsWanted(String topic) implements TopicStep {}
}
