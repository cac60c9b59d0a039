package dev.postrider.admin;

/**
 * What a replay did.
 *
 * @param sent events that the destination has
 * @param lastId the last of them in order; a replay after this id goes on from here
 * @param complete whether that was all, or it was stopped early
 */
public record ReplayReport(long sent, long lastId, boolean complete) {}
