package dev.postrider.admin;

import dev.postrider.OutboxLayout;

/**
 * What a change of layout did.
 *
 * @param changed whether there was anything to change
 * @param from the layout before
 * @param to the layout now
 * @param moved events still to be sent, or parked, that were changed by it; since a crash, if there was one
 * @param newId whether the outbox has a new id: the positions at the destination then start over
 */
public record LayoutReport(boolean changed, OutboxLayout from, OutboxLayout to, long moved, boolean newId) {}
