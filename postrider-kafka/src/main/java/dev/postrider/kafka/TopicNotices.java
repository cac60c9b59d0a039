package dev.postrider.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log which topics take nothing, and which do again: once for each change, and at most 100 times a minute, because
 * events can name any number of topics. Any thread.
 */
final class TopicNotices {
    private static final Logger log = LoggerFactory.getLogger(KnownTopics.class);

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();
    private static final int MOST_IN_A_MINUTE = 100;

    private final LongSupplier nanoTime;
    private long minuteBegan;
    private int told;
    private int untold;

    TopicNotices(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.minuteBegan = nanoTime.getAsLong();
    }

    /**
     * @param before what of the topic took nothing, and why
     * @param now what of it takes nothing
     * @return whether something takes events again
     */
    boolean tell(String topic, Map<String, String> before, Map<String, String> now) {
        if (now.equals(before)) {
            return false;
        }
        List<String> back =
                before.keySet().stream().filter(name -> !now.containsKey(name)).toList();
        if (mayTell()) {
            tellBad(topic, now);
            if (!back.isEmpty() && !now.containsKey(topic)) {
                log.info("{} can be written again: events that waited for it are sent", String.join(", ", back));
            }
        }
        return !back.isEmpty();
    }

    private synchronized boolean mayTell() {
        if (nanoTime.getAsLong() - minuteBegan > MINUTE) {
            if (untold > 0) {
                log.error(
                        "{} more topics have changed, in a minute: 'postrider status' says what events wait for",
                        untold);
            }
            minuteBegan = nanoTime.getAsLong();
            told = 0;
            untold = 0;
        }
        if (told < MOST_IN_A_MINUTE) {
            told++;
            return true;
        }
        if (untold++ == 0) {
            log.error("More than {} topics take nothing, or do again, in a minute: the others are not named", told);
        }
        return false;
    }

    private static void tellBad(String topic, Map<String, String> now) {
        String waits = "its events wait, others go on, and it is looked at again from time to time.";
        if (now.containsValue("missing")) {
            log.error(
                    "There is no topic {}: {} Create it, for example by 'postrider topics apply', or change the route.",
                    topic,
                    waits);
        } else if (now.containsValue("forbidden")) {
            log.error(
                    "Topic {} may not be written: {} Grant this client WRITE on it, for example by 'kafka-acls --add"
                            + " --allow-principal User:NAME --operation Write --topic {}'.",
                    topic,
                    waits,
                    topic);
        } else if (!now.isEmpty()) {
            log.error("{} have no leader: {} Look after the brokers that hold them.", now.keySet(), waits);
        }
    }
}
