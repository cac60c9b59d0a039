package dev.postrider.internal.source;

import dev.postrider.internal.store.OutboxStore.HeldKeys;
import dev.postrider.internal.store.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Opens closed keys in claim mode: what is HELD goes on once nothing before it holds its key.
 *
 * <p>While few keys are closed, all of them are looked at each time. With many, that would take most of the relay's time, for
 * nothing: then those are looked at of which something has changed. Whoever settles an event looks at its key afterwards, and
 * whoever sets events aside looks at theirs, because what they wait for may have ended meanwhile: the later of both sees what
 * the other has done. What this leaves out (a relay that died in between, operators) is met by a walk over all closed
 * keys, one part of them each time.
 *
 * <p>Called by the relay's thread; {@link #settled} by any.
 */
final class ClosedKeys {
    /** With fewer, all are looked at each time. */
    static final int FEW = 1_000;

    /** So many at most at each step of the walk. */
    private static final int MOST = 16_000;

    /** So many of those that have changed in one statement. */
    private static final int CHUNK = 5_000;

    /** More changes than this are left to the walk. */
    private static final int MOST_CHANGED = 100_000;

    /** Steps that take longer become shorter, and those that take less than a quarter of it longer. */
    private static final long LONG_STEP = Duration.ofMillis(200).toNanos();

    private static final long START = Long.MIN_VALUE;

    private final RowByRow rows;
    private final LongSupplier clock;
    private final Set<Long> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean many = true;
    private long from = START;
    private int step = FEW;

    ClosedKeys(RowByRow rows, LongSupplier clock) {
        this.rows = rows;
        this.clock = clock;
    }

    /** What has happened to these events is recorded. */
    void settled(Collection<? extends Settlement> settlements) {
        if (many) {
            changed(settlements.stream().map(one -> one.claim().keyHash()).toList());
        }
    }

    /** Something of these keys has ended, or been set aside, and that is recorded. */
    void changed(Collection<Long> keys) {
        if (many && changed.size() < MOST_CHANGED) {
            changed.addAll(keys);
        }
    }

    /**
     * @return how many events go on
     */
    int release(Connection connection, int limit) throws SQLException {
        int released = 0;
        // Not those that come meanwhile: they have their turn the next time.
        for (int left = changed.size(); left > 0 && released < limit; left -= CHUNK) {
            released += releaseOf(connection, takeSome(), limit - released);
        }
        return released < limit ? released + walk(connection, limit - released) : released;
    }

    /** Taken away before they are looked at: what changes meanwhile is looked at again. */
    private List<Long> takeSome() {
        List<Long> some = new ArrayList<>();
        for (Iterator<Long> keys = changed.iterator(); keys.hasNext() && some.size() < CHUNK; ) {
            some.add(keys.next());
            keys.remove();
        }
        return some;
    }

    private int releaseOf(Connection connection, List<Long> keys, int limit) throws SQLException {
        boolean all = false;
        try {
            int released = rows.releaseHeld(connection, keys, limit);
            all = released < limit;
            return released;
        } finally {
            if (!all) {
                // Some of theirs are left, or nobody knows.
                changed.addAll(keys);
            }
        }
    }

    private int walk(Connection connection, int limit) throws SQLException {
        long began = clock.getAsLong();
        HeldKeys looked = rows.releaseHeld(connection, from, step, limit);
        long taken = clock.getAsLong() - began;
        boolean few = from == START && looked.keys() < FEW;
        if (looked.events() < limit) {
            boolean end = looked.keys() < step || looked.last() == Long.MAX_VALUE;
            from = end ? START : looked.last() + 1;
        }
        if (few) {
            step = FEW;
            changed.clear();
        } else if (taken > LONG_STEP) {
            step = Math.max(FEW, step / 2);
        } else if (taken < LONG_STEP / 4) {
            step = Math.min(MOST, step * 2);
        }
        many = !few;
        return looked.events();
    }
}
