package dev.postrider.settings;

/**
 * How much a relay handles at a time.
 *
 * @param size events fetched at a time
 * @param maxBytes a read stops before its events, including headers, exceed this; see docs/configuration.md for how many are
 *     in memory
 * @param maxEventBytes a larger event, including headers, becomes a dead letter without being fetched; at most {@code
 *     maxBytes}
 * @param transactionSize with exactly once: events of a shard committed to the broker in one transaction
 */
public record BatchSettings(int size, long maxBytes, long maxEventBytes, int transactionSize) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Batches");

    public static final Option<Integer> SIZE =
            GROUP.add(Option.of("relay.batch-size", Formats.wholeNumber(1, 10_000), 2000, "Events fetched at a time.")
                    .withFlag("--batch-size"));
    public static final Option<Long> MAX_BYTES = GROUP.add(Option.of(
            "relay.max-batch-bytes",
            Formats.wholeNumberOfAtLeast(1),
            16L << 20,
            "A read stops before its events, including headers, exceed this number of bytes."));
    public static final Option<Long> MAX_EVENT_BYTES = GROUP.add(Option.of(
            "relay.max-event-bytes",
            Formats.wholeNumberOfAtLeast(1),
            16L << 20,
            "A larger event, including headers, becomes a dead letter without being fetched. At most"
                    + " relay.max-batch-bytes."));
    public static final Option<Integer> TRANSACTION_SIZE = GROUP.add(Option.of(
            "relay.transaction-size",
            Formats.wholeNumber(1, 10_000),
            5_000,
            "With exactly once: events of a shard that are committed to the broker in one transaction."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public BatchSettings {
        SIZE.check(size);
        MAX_BYTES.check(maxBytes);
        MAX_EVENT_BYTES.check(maxEventBytes);
        if (maxEventBytes > maxBytes) {
            throw MAX_EVENT_BYTES.invalid(maxEventBytes, "at most " + MAX_BYTES.key() + ", which is " + maxBytes);
        }
        TRANSACTION_SIZE.check(transactionSize);
    }

    public static BatchSettings of(OptionValues values) {
        return new BatchSettings(
                values.get(SIZE), values.get(MAX_BYTES), values.get(MAX_EVENT_BYTES), values.get(TRANSACTION_SIZE));
    }

    /** The same with another number of events fetched at a time. */
    public BatchSettings withSize(int events) {
        return new BatchSettings(events, maxBytes, maxEventBytes, transactionSize);
    }
}
