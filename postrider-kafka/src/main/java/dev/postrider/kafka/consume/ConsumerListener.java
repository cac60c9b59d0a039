package dev.postrider.kafka.consume;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * Told of what a consumer does, on its thread: return quickly, do not throw. For metrics and tests.
 */
public interface ConsumerListener {

    /** Partitions that are read from now on; where reading begins is committed. */
    default void assigned(Set<TopicPartition> partitions) {}

    /** Partitions that somebody else reads from now on, or nobody. */
    default void released(Set<TopicPartition> partitions) {}

    /**
     * The handler has returned.
     *
     * @param took the handler's time; of a batch, an even share of it
     */
    default void handled(Origin origin, Duration took) {}

    /**
     * The handler has thrown, alone with this record.
     *
     * @param attempt 1 for the first
     */
    default void failed(Origin origin, Throwable error, int attempt) {}

    /** The handler has thrown on so many at once; each is tried alone now. */
    default void batchFailed(int records, Throwable error) {}

    /** What the handler needs is down: nothing is handed over for some time, and no attempt is counted. */
    default void outage(Throwable error) {}

    /**
     * A record is in the dead letter topic.
     *
     * @param attempts how often it was tried; 0 if it could not be read
     */
    default void deadLettered(Origin origin, String deadLetterTopic, int attempts) {}

    /** A dead letter topic does not take a record; its partition waits. */
    default void deadLetterRefused(Origin origin, Throwable error) {}

    /**
     * Every second: how many records of each partition are not done, among those that are there. Partitions whose end is
     * not known are left out.
     */
    default void lag(Map<TopicPartition, Long> records) {}
}
