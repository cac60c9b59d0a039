package dev.postrider.kafka.consume;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Receives what a consumer does, on its thread: return quickly, do not throw. For metrics and tests. */
public interface ConsumerListener {

    /** Partitions that are read from now on; their starting offsets are committed. */
    default void assigned(Set<TopicPartition> partitions) {}

    /** Partitions that this consumer no longer reads. */
    default void released(Set<TopicPartition> partitions) {}

    /**
     * The handler has returned.
     *
     * @param took the handler's time; for a batch, an even share of it
     */
    default void handled(Origin origin, Duration took) {}

    /**
     * The handler has thrown for this single record.
     *
     * @param attempt 1 for the first
     */
    default void failed(Origin origin, Throwable error, int attempt) {}

    /** The handler has thrown for a batch of this size; each record is tried alone now. */
    default void batchFailed(int records, Throwable error) {}

    /** Something that the handler needs is down: the handler is not called for some time, and no attempt is counted. */
    default void outage(Throwable error) {}

    /**
     * A record was put into the dead letter topic.
     *
     * @param attempts how often it was tried; 0 if it could not be read
     */
    default void deadLettered(Origin origin, String deadLetterTopic, int attempts) {}

    /** A dead letter topic does not accept a record; its partition waits. */
    default void deadLetterRefused(Origin origin, Throwable error) {}

    /**
     * Every second: how many existing records of each partition are not done. Partitions whose end offset is not known
     * are left out.
     */
    default void lag(Map<TopicPartition, Long> records) {}
}
