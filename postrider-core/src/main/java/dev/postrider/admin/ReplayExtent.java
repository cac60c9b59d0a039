package dev.postrider.admin;

import java.time.Instant;

/**
 * Published events that match.
 *
 * @param events how many
 * @param firstId the lowest of their ids
 * @param lastId the highest of them; events published later are not part of it
 * @param at the database's clock
 */
public record ReplayExtent(long events, long firstId, long lastId, Instant at) {}
