package dev.postrider.internal.store.log;

/**
 * The newest row of a shard's cursor.
 *
 * @param seq grows by one with every row; who wants to add one must have seen the one before
 * @param floor see {@link Append#floor}
 * @param batch exactly once: the transaction of the destination that the position belongs to
 * @param owner who wrote it
 */
public record Cursor(
        int shard, long seq, Position position, LogStore.Floor floor, long batch, String owner, Cluster cluster) {}
