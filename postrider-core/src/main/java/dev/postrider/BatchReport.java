package dev.postrider;

/**
 * What {@link Relay#runOnce} did.
 *
 * @param fetched taken from the outbox
 * @param published accepted by the destination, and recorded as such
 * @param failed to be tried again later
 * @param blocked waiting because their destination accepts nothing
 * @param dead given up, with a dead letter
 * @param returned given back without an attempt
 * @param fenced whose outcome was not recorded, because another relay had taken them over
 */
public record BatchReport(int fetched, int published, int failed, int blocked, int dead, int returned, int fenced) {}
