package dev.postrider.kafka.redrive;

import java.util.Map;
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
}
