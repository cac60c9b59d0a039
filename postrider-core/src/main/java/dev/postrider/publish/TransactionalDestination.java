package dev.postrider.publish;

import java.time.Duration;

/** A publisher that can also deliver exactly once. */
public interface TransactionalDestination {

    /**
     * The pipeline of one shard. It connects only in {@link TransactionalPublisher#takeOver}.
     *
     * @param outboxId distinguishes outboxes that share a destination
     * @param shards how many there are
     * @param timeout after this time the destination aborts a transaction that was left open
     */
    TransactionalPublisher pipeline(String outboxId, int shard, int shards, Duration timeout);
}
