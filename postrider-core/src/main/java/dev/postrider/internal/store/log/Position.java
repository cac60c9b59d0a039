package dev.postrider.internal.store.log;

import org.jspecify.annotations.Nullable;

/**
 * How far a shard has been read. Both snapshots are whole: a single transaction number would be no cut, because
 * transactions do not end in the order in which they began.
 *
 * @param lo every event visible in this snapshot is done
 * @param hi of the events visible in this one, those with ids up to {@code lastId} are done too; null if no window is open
 */
public record Position(String lo, @Nullable String hi, long lastId) {

    /** Between two windows. */
    public static Position at(String snapshot) {
        return new Position(snapshot, null, 0);
    }
}
