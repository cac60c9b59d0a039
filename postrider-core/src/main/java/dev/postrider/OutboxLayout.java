package dev.postrider;

/**
 * What is decided when an outbox is created, and stored in its database. A command can change it later, with relays
 * stopped.
 *
 * @param mode how it is read
 * @param shards of a log: number of parts that can be read at the same time, each in order; 1 keeps all events in a
 *     single order
 * @param delivery of a log: at least once, or exactly once
 */
public record OutboxLayout(OutboxMode mode, int shards, Delivery delivery) {
    public static final int MAX_SHARDS = 256;

    /** Log, 4 shards, at least once: the default for a new outbox on PostgreSQL. */
    public static final OutboxLayout DEFAULT = log(4);

    public OutboxLayout {
        if (shards < 1 || shards > MAX_SHARDS) {
            throw new PostriderException(
                    "The number of shards is " + shards + "; it must be between 1 and " + MAX_SHARDS + ".");
        }
        if (mode == OutboxMode.CLAIM && delivery == Delivery.EXACTLY_ONCE) {
            throw new PostriderException("Claim mode delivers at least once; for exactly-once choose log mode.");
        }
    }

    public static OutboxLayout claim() {
        return new OutboxLayout(OutboxMode.CLAIM, 1, Delivery.AT_LEAST_ONCE);
    }

    public static OutboxLayout log(int shards) {
        return new OutboxLayout(OutboxMode.LOG, shards, Delivery.AT_LEAST_ONCE);
    }

    public OutboxLayout delivering(Delivery other) {
        return new OutboxLayout(mode, shards, other);
    }

    /** For people, as part of a sentence. */
    public String describe() {
        String parts = mode == OutboxMode.CLAIM ? "" : shards == 1 ? ", 1 shard" : ", " + shards + " shards";
        return "mode " + mode.label() + parts + ", delivery " + delivery.label();
    }
}
