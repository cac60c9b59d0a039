package dev.postrider.publish;

import java.time.Duration;

/** A publisher that can also deliver exactly once. */
public interface TransactionalDestination {

    /**
     * The line of one shard. Nothing is connected before {@link TransactionalPublisher#takeOver}.
     *
     * @param outboxId tells outboxes apart that share a destination
     * @param shards how many there are
     * @param timeout after this time the destination undoes a transaction that was left open
     */
    TransactionalPublisher line(String outboxId, int shard, int shards, Duration timeout);
}
