package dev.postrider.internal.store;

import java.time.Duration;

/**
 * The right to settle one row.
 *
 * @param id the row's ever-growing number
 * @param eventId the event's own id, as it is stored: ids of rows begin anew when the table is truncated, and then another
 *     event may have the same row id and version. Empty in a log, where nothing is settled by it
 * @param version the row's version under this claim; once the row has another, the claim is lost
 * @param keyHash events whose order matters to each other have the same
 * @param attempts failed attempts before this one
 * @param abandoned how often a relay died holding it
 * @param age from insert to claim, both by the database's clock
 */
public record RowClaim(long id, String eventId, int version, long keyHash, int attempts, int abandoned, Duration age) {
    /** Of no row: whatever is done with it changes nothing. */
    public static final RowClaim NOBODY =
            new RowClaim(-1, "00000000-0000-0000-0000-000000000000", -1, 0, 0, 0, Duration.ZERO);
}
