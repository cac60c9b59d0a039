package dev.postrider.internal.alert;

import dev.postrider.alert.Alert;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that are told one by one, but only so many in a minute; the rest of the minute is summed up
 * when it is over. Filled by the relay's thread, emptied by the monitor's; holds no more than it could
 * tell, whatever happens.
 */
final class Singles {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final long threshold;
    private final int perMinute;

    private final Deque<Single> waiting = new ArrayDeque<>();
    private long beyondWaiting;

    private @Nullable Instant minuteBegan;
    private long seen;
    private int told;
    private long untold;

    Singles(long threshold, int perMinute) {
        this.threshold = threshold;
        this.perMinute = perMinute;
    }

    /** One event, by its row's id. */
    record Single(long id, String error) {}

    /** How an event, and how a number of them, are put into words. */
    interface Words {
        Alert of(Single single);

        Alert ofMany(long count);
    }

    synchronized void add(Single single) {
        if (waiting.size() < perMinute) {
            waiting.add(single);
        } else {
            beyondWaiting++;
        }
    }

    synchronized List<Alert> tell(Instant now, Words words) {
        List<Alert> alerts = new ArrayList<>();
        if (minuteBegan != null && !now.isBefore(minuteBegan.plus(MINUTE))) {
            if (untold > 0) {
                alerts.add(words.ofMany(untold));
            }
            minuteBegan = null;
            seen = 0;
            told = 0;
            untold = 0;
        }
        if (minuteBegan == null && waiting.size() + beyondWaiting > 0) {
            minuteBegan = now;
        }
        for (Single single : waiting) {
            seen++;
            if (seen > threshold && told < perMinute) {
                told++;
                alerts.add(words.of(single));
            } else if (seen > threshold) {
                untold++;
            }
        }
        untold += Math.max(0, seen + beyondWaiting - Math.max(threshold, seen));
        seen += beyondWaiting;
        waiting.clear();
        beyondWaiting = 0;
        return alerts;
    }
}
