package dev.postrider.admin;

/**
 * What happened to the dead letters that matched.
 *
 * @param discarded deleted
 * @param handled no longer dead, because somebody had dealt with them; only their letters were deleted
 */
public record Discarded(long discarded, long handled) {}
