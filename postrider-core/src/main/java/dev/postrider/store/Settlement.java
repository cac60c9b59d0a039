package dev.postrider.store;

import java.time.Duration;

/** How the sending of one claimed event ended, to be recorded in its row. */
public sealed interface Settlement {
    RowClaim claim();

    /** The broker has it. */
    record Published(RowClaim claim) implements Settlement {}

    /**
     * It waits {@code delay}, counted by the database's clock, for its next attempt.
     *
     * @param counted whether this attempt counts against its retries
     */
    record Failed(RowClaim claim, String error, Duration delay, boolean counted) implements Settlement {}

    /** It is given up. */
    record Dead(RowClaim claim, String error) implements Settlement {}

    /** Nothing is known to have happened to it: it is as due as it was before the claim. */
    record Returned(RowClaim claim) implements Settlement {}
}
