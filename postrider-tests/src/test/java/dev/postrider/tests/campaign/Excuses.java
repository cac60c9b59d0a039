package dev.postrider.tests.campaign;

import dev.postrider.PostriderException;
import java.sql.SQLException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * What the campaign itself has put in the way of others, and when. Whoever fails without having met anything of it has found a
 * broken promise. Any thread.
 */
final class Excuses {
    private final Map<Excuse, Integer> begun = new EnumMap<>(Excuse.class);
    private final Map<Excuse, Integer> ended = new EnumMap<>(Excuse.class);

    enum Excuse {
        /** Crashed, and not yet back. Silences and delays do not count: only relays are behind the wire. */
        DATABASE_DOWN,
        BROKER_DOWN,
        /** Operators' commands refuse to work meanwhile. */
        LAYOUT_CHANGES
    }

    /** Does something that excuses others. */
    <T> T give(Excuse excuse, Callable<T> harm) throws Exception {
        count(begun, excuse);
        try {
            return harm.call();
        } finally {
            count(ended, excuse);
        }
    }

    private synchronized void count(Map<Excuse, Integer> events, Excuse excuse) {
        events.merge(excuse, 1, Integer::sum);
    }

    /** From now on. */
    synchronized Since since() {
        return new Since(Map.copyOf(ended));
    }

    synchronized boolean wasEver(Excuse excuse) {
        return begun.containsKey(excuse);
    }

    /** A moment; what had not ended then counts as well. */
    final class Since {
        private final Map<Excuse, Integer> endedBefore;

        private Since(Map<Excuse, Integer> endedBefore) {
            this.endedBefore = endedBefore;
        }

        boolean hasAny(Collection<Excuse> excuses) {
            synchronized (Excuses.this) {
                return excuses.stream().anyMatch(one -> begun.getOrDefault(one, 0) > endedBefore.getOrDefault(one, 0));
            }
        }
    }

    /**
     * @param accepted what may be in the way of it
     * @return false if it failed because of that
     * @throws AssertionError if it failed for no such reason
     */
    boolean attempt(String what, Callable<Boolean> deed, Excuse... accepted) throws Exception {
        Since begin = since();
        try {
            return deed.call();
        } catch (SQLException | PostriderException e) {
            if (begin.hasAny(Set.copyOf(List.of(accepted)))) {
                return false;
            }
            throw new AssertionError(what + " failed, and nothing was in its way: " + e, e);
        }
    }
}
