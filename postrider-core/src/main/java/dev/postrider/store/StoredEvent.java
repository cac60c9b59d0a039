package dev.postrider.store;

import dev.postrider.OutboxEvent;

/**
 * An event and the claim under which it is sent.
 *
 * @param fetchedAtNanos when it came from the database, by this machine's monotonic clock
 */
public record StoredEvent(RowClaim claim, OutboxEvent event, long fetchedAtNanos) {}
