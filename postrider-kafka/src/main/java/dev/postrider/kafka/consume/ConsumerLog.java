package dev.postrider.kafka.consume;

import java.time.Duration;
import java.util.Collection;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is worth a line: of each kind the first at once, and then at most one every ten seconds, with the number of those that
 * were left out. Each is in the log at DEBUG. Consumer's thread.
 */
final class ConsumerLog {
    private static final Logger log = LoggerFactory.getLogger(KafkaEventConsumer.class);
    private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

    /** A kind of trouble, which holds back its own kind only. */
    private static final class Kind {
        private long leftOut;
        private boolean told;
        private long lastTold;

        /** Whether it is time for a line; counts if not. */
        private boolean isDue() {
            long now = System.nanoTime();
            if (told && now - lastTold < INTERVAL) {
                leftOut++;
                return false;
            }
            told = true;
            lastTold = now;
            return true;
        }

        private String others() {
            String text = leftOut == 0 ? "" : " (and " + leftOut + " more since the last line like this)";
            leftOut = 0;
            return text;
        }
    }

    private final String name;
    private final Kind attempts = new Kind();
    private final Kind batches = new Kind();
    private final Kind letters = new Kind();
    private final Kind refusals = new Kind();
    private final Kind outages = new Kind();
    private final Kind commits = new Kind();

    ConsumerLog(String name) {
        this.name = name;
    }

    void failed(Entry entry, Throwable error, Duration delay) {
        log.debug("[{}] attempt {} of {} failed, next in {}", name, entry.attempts(), entry.origin(), delay, error);
        if (attempts.isDue()) {
            log.warn(
                    "[{}] attempt {} of {} failed, next in {}: {}{}",
                    name,
                    entry.attempts(),
                    entry.origin(),
                    delay,
                    error,
                    attempts.others());
        }
    }

    void batchFailed(int records, Throwable error) {
        log.debug("[{}] a batch of {} records failed, each is tried alone", name, records, error);
        if (batches.isDue()) {
            log.warn(
                    "[{}] a batch of {} records failed, each is tried alone: {}{}",
                    name,
                    records,
                    error,
                    batches.others());
        }
    }

    void deadLettered(Entry entry, String topic, Throwable reason) {
        log.debug("[{}] {} is in {}", name, entry.origin(), topic, reason);
        if (letters.isDue()) {
            log.warn(
                    "[{}] {} was given up after {} attempts and is in {}: {}{}",
                    name,
                    entry.origin(),
                    entry.attempts(),
                    topic,
                    reason,
                    letters.others());
        }
    }

    void refused(Entry entry, String topic, Throwable error, Duration delay) {
        if (refusals.isDue()) {
            log.error(
                    "[{}] {} does not take {}, which was given up: {}. Nothing of that partition is committed from there on;"
                            + " next try in {}. See that the topic exists, that this user may write to it, and that its"
                            + " max.message.bytes is large enough.{}",
                    name,
                    topic,
                    entry.origin(),
                    error,
                    delay,
                    refusals.others());
        }
    }

    void outage(Throwable error, Duration delay) {
        log.debug("[{}] what the handler needs is down, next try in {}", name, delay, error);
        if (outages.isDue()) {
            log.warn(
                    "[{}] what the handler needs is down; nothing is handed over, no attempt is counted, next try in {}:"
                            + " {}{}",
                    name,
                    delay,
                    error,
                    outages.others());
        }
    }

    void notCommitted(Throwable error) {
        log.debug("[{}] not committed", name, error);
        if (commits.isDue()) {
            log.warn(
                    "[{}] what was handled is not committed yet, and nothing more is read until it is: {}{}",
                    name,
                    error,
                    commits.others());
        }
    }

    void placeIsGone(Collection<TopicPartition> partitions) {
        log.error(
                "[{}] the brokers no longer have the place up to which {} were read: records were deleted before they were"
                        + " handled, or the topic was created again. Going on with the oldest that is there; see that retention"
                        + " is longer than this consumer is ever behind.",
                name,
                partitions);
    }

    void notCommittedAtRelease(Throwable error) {
        log.warn(
                "[{}] partitions were released without a commit; what was handled there comes again: {}",
                name,
                error.toString());
    }

    void reconnects(Throwable error, Duration delay) {
        log.error("[{}] Kafka cannot be read; what was not committed comes again, next try in {}", name, delay, error);
    }
}
