package dev.postrider.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions do not answer, while others do: nothing more is sent to them. The relay's thread sends and looks, the
 * producer's thread answers.
 *
 * <p>Delivering at least once, what is in flight to them stays so until the delivery timeout, and its answer, or the end of the
 * producer, ends the silence. In transactions it has to be given up, so that a silence lasts beyond its producer, until the
 * partition answers somebody; and attempts that were given up one after the other count together, because a transaction may be
 * much shorter than a silence.
 */
final class Silence {
    private static final long LIMIT = Duration.ofSeconds(10).toNanos();

    /** After so long without an answer something may have happened to the topic. */
    private static final long SLOW = Duration.ofSeconds(1).toNanos();

    private final KnownTopics topics;
    private final boolean inTransactions;
    private final LongSupplier nanoTime;
    private final Map<TopicPartition, Expected> expected = new ConcurrentHashMap<>();
    private volatile long lastAnswer;

    private Silence(KnownTopics topics, boolean inTransactions, LongSupplier nanoTime) {
        this.topics = topics;
        this.inTransactions = inTransactions;
        this.nanoTime = nanoTime;
        this.lastAnswer = nanoTime.getAsLong();
    }

    /** Of one producer. */
    static Silence ofProducer(KnownTopics topics, LongSupplier nanoTime) {
        return new Silence(topics, false, nanoTime);
    }

    /** Of the producers of a shard, one after the other. */
    static Silence inTransactions(KnownTopics topics, LongSupplier nanoTime) {
        return new Silence(topics, true, nanoTime);
    }

    /**
     * @param events unanswered
     * @param since when one was answered last, or sent while none was unanswered
     * @param unheardSince since when all that were sent have been given up for want of an answer; null if none was
     */
    private record Expected(
            int events, long since, @Nullable Long unheardSince) {

        /** A late answer may be to something that is not expected any more. */
        int oneLess() {
            return Math.max(0, events - 1);
        }
    }

    void sent(@Nullable TopicPartition partition) {
        if (partition != null) {
            long now = nanoTime.getAsLong();
            expected.compute(
                    partition,
                    (any, before) -> before == null
                            ? new Expected(1, now, null)
                            : new Expected(
                                    before.events() + 1,
                                    before.events() == 0 ? now : before.since(),
                                    before.unheardSince()));
        }
    }

    /** By the broker, whatever it said. */
    void answered(@Nullable TopicPartition partition) {
        long now = nanoTime.getAsLong();
        lastAnswer = now;
        if (partition != null) {
            expected.computeIfPresent(partition, (any, before) -> {
                topics.heard(partition);
                return before.events() <= 1 ? null : new Expected(before.oneLess(), now, null);
            });
        }
    }

    /** By the producer, because no broker has answered in time. */
    void timedOut(@Nullable TopicPartition partition) {
        if (partition != null) {
            expected.computeIfPresent(partition, (any, before) -> {
                long unheardSince = before.unheardSince() == null ? before.since() : before.unheardSince();
                if (isSilence(partition, unheardSince)) {
                    topics.silent(partition, inTransactions);
                }
                return new Expected(before.oneLess(), before.since(), unheardSince);
            });
        }
    }

    /** By the producer, because its transaction is undone, or because it was closed. */
    void undone(@Nullable TopicPartition partition) {
        if (partition != null) {
            expected.computeIfPresent(
                    partition,
                    (any, before) -> before.events() <= 1 && before.unheardSince() == null
                            ? null
                            : new Expected(before.oneLess(), before.since(), before.unheardSince()));
        }
    }

    void look() {
        expected.forEach((partition, one) -> {
            if (one.events() > 0 && isSilence(partition, one.since())) {
                expected.computeIfPresent(partition, (any, still) -> {
                    if (still.since() == one.since()) {
                        topics.silent(partition, inTransactions);
                    }
                    return still;
                });
            }
        });
    }

    /**
     * A cluster that does not answer at all is away. In a transaction nothing else may have been sent that could have been
     * answered: there the brokers count that are asked about the topic.
     */
    private boolean isSilence(TopicPartition partition, long since) {
        boolean othersAnswer = inTransactions ? topics.hasJustBeenLookedAt(partition.topic()) : lastAnswer - since > 0;
        return othersAnswer && nanoTime.getAsLong() - since > LIMIT;
    }

    /** A topic that has vanished gives no answer: it is looked at again well before its turn. */
    void lookAtSlowTopics() {
        long now = nanoTime.getAsLong();
        expected.forEach((partition, one) -> {
            if (one.events() > 0 && now - one.since() > SLOW) {
                topics.lookAgain(partition.topic());
            }
        });
    }

    /** Whether something is unanswered that was sent to what is now known to take nothing. */
    boolean isWaitingInVain() {
        return expected.entrySet().stream()
                .anyMatch(one -> one.getValue().events() > 0 && topics.takesNothing(one.getKey()));
    }

    /**
     * There is a new producer: nothing is expected of the one before, which may have died without an answer to what was sent
     * with it. What has been unheard of for how long stays known.
     */
    void beginAnew() {
        expected.keySet()
                .forEach(partition -> expected.computeIfPresent(
                        partition,
                        (any, before) -> before.unheardSince() == null
                                ? null
                                : new Expected(0, before.since(), before.unheardSince())));
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
