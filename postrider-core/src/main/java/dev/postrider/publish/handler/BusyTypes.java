package dev.postrider.publish.handler;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The types whose events have waited for long: so many may wait in the publisher, the others wait in the outbox. Without that
 * the slow ones would fill the relay's hands, and nothing of other types would be fetched.
 *
 * <p>The limit follows the handlers: it doubles when what may wait is through within a second, and halves when that takes more
 * than four. A type of which nothing has waited for ten seconds is like any other again. Guarded by the lock of {@link Runs}.
 */
final class BusyTypes {
    /** An event that has waited for so long makes its type a busy one. */
    static final long PATIENCE = Duration.ofSeconds(2).toNanos();

    private static final long QUICK = Duration.ofSeconds(1).toNanos();
    private static final long SLOW = Duration.ofSeconds(4).toNanos();
    private static final int MOST = 1024;

    /** Longer than a relay lets blocked events wait that may go on: if none has come for so long, none waits. */
    private static final long IDLE = Duration.ofSeconds(10).toNanos();

    private final int least;
    private final Map<String, Allowance> allowances = new LinkedHashMap<>();

    private static final class Allowance {
        int limit;
        long since;

        Allowance(int limit, long since) {
            this.limit = limit;
            this.since = since;
        }
    }

    /**
     * @param least so many may always wait
     */
    BusyTypes(int least) {
        this.least = least;
    }

    Set<String> names() {
        return allowances.keySet();
    }

    boolean contains(String type) {
        return allowances.containsKey(type);
    }

    void add(String type, long now) {
        allowances.putIfAbsent(type, new Allowance(least, now));
    }

    /** So many of a type wait, before another one comes. */
    void look(String type, int waiting, long now) {
        Allowance allowance = allowances.get(type);
        if (allowance != null && waiting == 0 && now - allowance.since > IDLE) {
            allowances.remove(type);
        }
    }

    int limit(String type) {
        Allowance allowance = allowances.get(type);
        return allowance == null ? Integer.MAX_VALUE : allowance.limit;
    }

    /**
     * So many of a type still wait.
     *
     * @return whether more may come, which they did not before
     */
    boolean waits(String type, int waiting, long now) {
        Allowance allowance = allowances.get(type);
        if (allowance == null || waiting > allowance.limit / 2) {
            return false;
        }
        long took = now - allowance.since;
        allowance.limit = took < QUICK
                ? Math.min(MOST, allowance.limit * 2)
                : took > SLOW ? Math.max(least, allowance.limit / 2) : allowance.limit;
        allowance.since = now;
        return true;
    }
}
