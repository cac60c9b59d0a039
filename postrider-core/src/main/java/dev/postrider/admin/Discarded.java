package dev.postrider.admin;

/**
 * What became of the dead letters that matched.
 *
 * @param discarded are no more
 * @param handled not dead any more, somebody had dealt with them; only their letters were deleted
 */
public record Discarded(long discarded, long handled) {}
