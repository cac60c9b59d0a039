package dev.postrider.housekeeping;

import java.time.Duration;

/**
 * What is kept of how a log was read: the rows that a cursor has left behind. The newest ones of each shard always stay.
 *
 * @param kept older rows are deleted
 * @param thinned whether only one row a minute, and every take-over, is kept after ten minutes
 */
public record CursorHistory(Duration kept, boolean thinned) {

    public CursorHistory {
        HousekeepingSettings.CURSOR_HISTORY.check(kept);
    }
}
