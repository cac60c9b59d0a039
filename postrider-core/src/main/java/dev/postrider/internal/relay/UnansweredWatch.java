package dev.postrider.internal.relay;

import dev.postrider.RelayListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of events that the destination has not answered for too long, well before they are given up: at once, every minute
 * while that lasts, and when it is over. The relay's thread looks; how it is may be asked by any.
 */
final class UnansweredWatch {
    private static final Logger log = LoggerFactory.getLogger(RelayLoop.class);
    private static final long REPEAT = Duration.ofMinutes(1).toNanos();

    /** So many are named. */
    private static final int NAMED = 5;

    private final String name;
    private final Duration limit;
    private final RelayListener listener;
    private volatile @Nullable Long oldest;
    private boolean waiting;
    private long nextWarning;

    UnansweredWatch(String name, Duration limit, RelayListener listener) {
        this.name = name;
        this.limit = limit;
        this.listener = listener;
    }

    /**
     * @param handedOver rows of events with the publisher and when they were handed over, the oldest first
     */
    void look(Map<Long, Long> handedOver, long now) {
        long count = 0;
        Long first = null;
        for (Long since : handedOver.values()) {
            if (now - since < limit.toNanos()) {
                break;
            }
            first = first == null ? since : first;
            count++;
        }
        oldest = first;
        if (first != null) {
            Duration age = Duration.ofNanos(now - first);
            listener.unanswered(count, age);
            warn(handedOver, count, age, now);
            waiting = true;
        } else if (waiting) {
            waiting = false;
            listener.unanswered(0, Duration.ZERO);
            log.info("[{}] no event waits for an answer of the destination any more", name);
        }
    }

    private void warn(Map<Long, Long> handedOver, long count, Duration age, long now) {
        if (waiting && now - nextWarning < 0) {
            return;
        }
        nextWarning = now + REPEAT;
        List<Long> rows =
                handedOver.keySet().stream().limit(Math.min(NAMED, count)).toList();
        log.warn(
                "[{}] no answer from the destination for {} s: {} events, rows {}{}",
                name,
                age.toSeconds(),
                count,
                rows,
                count > NAMED ? " and others" : "");
    }

    /** How long the oldest has been without an answer; null unless that is too long. Any thread. */
    @Nullable
    Duration age(long now) {
        Long since = oldest;
        return since == null ? null : Duration.ofNanos(now - since);
    }
}
