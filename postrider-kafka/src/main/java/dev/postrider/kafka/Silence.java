package dev.postrider.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions do not answer a producer, while others do. What is in flight to them stays so until the delivery timeout;
 * but nothing more is sent to them. The relay's thread sends and looks, the producer's thread answers.
 */
final class Silence {
    private static final long LIMIT = Duration.ofSeconds(10).toNanos();

    /** After so long without an answer something may have happened to the topic. */
    private static final long SLOW = Duration.ofSeconds(1).toNanos();

    private final KnownTopics topics;
    private final LongSupplier nanoTime;
    private final Map<TopicPartition, Expected> expected = new ConcurrentHashMap<>();
    private volatile long lastAnswer;

    Silence(KnownTopics topics) {
        this(topics, System::nanoTime);
    }

    Silence(KnownTopics topics, LongSupplier nanoTime) {
        this.topics = topics;
        this.nanoTime = nanoTime;
        this.lastAnswer = nanoTime.getAsLong();
    }

    /**
     * @param events unanswered
     * @param since when one was answered last, or sent while none was unanswered
     */
    private record Expected(int events, long since, boolean told) {}

    void sent(@Nullable TopicPartition partition) {
        if (partition != null) {
            expected.compute(
                    partition,
                    (any, before) -> before == null
                            ? new Expected(1, nanoTime.getAsLong(), false)
                            : new Expected(before.events() + 1, before.since(), before.told()));
        }
    }

    void answered(@Nullable TopicPartition partition) {
        long now = nanoTime.getAsLong();
        lastAnswer = now;
        if (partition != null) {
            expected.computeIfPresent(partition, (any, before) -> {
                if (before.told()) {
                    topics.heard(partition);
                }
                return before.events() == 1 ? null : new Expected(before.events() - 1, now, false);
            });
        }
    }

    void look() {
        long now = nanoTime.getAsLong();
        expected.forEach((partition, one) -> {
            boolean othersAnswer = lastAnswer - one.since() > 0;
            if (!one.told() && now - one.since() > LIMIT && othersAnswer) {
                expected.computeIfPresent(partition, (any, still) -> {
                    if (still.since() != one.since()) {
                        return still;
                    }
                    topics.silent(partition);
                    return new Expected(still.events(), still.since(), true);
                });
            }
        });
    }

    /** A topic that has vanished gives no answer: it is looked at again well before its turn. */
    void lookAtSlowTopics() {
        long now = nanoTime.getAsLong();
        expected.forEach((partition, one) -> {
            if (now - one.since() > SLOW) {
                topics.lookAgain(partition.topic());
            }
        });
    }

    /** Whether something is unanswered that was sent to what is now known to take nothing. */
    boolean isWaitingInVain() {
        return expected.keySet().stream().anyMatch(topics::takesNothing);
    }

    /** The producer is closed: nothing is expected any more. */
    void end() {
        // One step for each, or a look at the same time would leave one silent that nobody expects anything of.
        expected.keySet()
                .forEach(partition -> expected.computeIfPresent(partition, (any, before) -> {
                    topics.heard(partition);
                    return null;
                }));
    }
}
