package dev.postrider.kafka.redrive;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * A dead letter topic as it is, and what was sent from it.
 *
 * @param topicId changes if the topic is deleted and created again
 * @param sentBefore by partition; every partition is there
 */
record DeadLetterLog(String topic, String topicId, Map<TopicPartition, SentBefore> sentBefore) {
    DeadLetterLog {
        sentBefore = Map.copyOf(sentBefore);
    }

    Set<TopicPartition> partitions() {
        return sentBefore.keySet();
    }

    /** What does not count any more if everything is to be sent again. */
    SentBefore sentBefore(TopicPartition partition, RedriveRequest request) {
        return request.again() ? SentBefore.NOTHING : sentBefore.getOrDefault(partition, SentBefore.NOTHING);
    }
}
