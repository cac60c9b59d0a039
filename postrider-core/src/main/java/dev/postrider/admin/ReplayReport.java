package dev.postrider.admin;

/**
 * What a replay did.
 *
 * @param sent events that the destination accepted
 * @param lastId the last of them in order; a replay after this id continues from here
 * @param complete whether all were sent; false if it was stopped early
 */
public record ReplayReport(long sent, long lastId, boolean complete) {}
