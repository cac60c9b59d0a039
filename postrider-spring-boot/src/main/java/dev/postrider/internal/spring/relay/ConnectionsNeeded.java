package dev.postrider.internal.spring.relay;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import org.jspecify.annotations.Nullable;

/** How many connections a relay keeps at the same time. */
final class ConnectionsNeeded {
    /** To fetch and settle, for the lease, to listen for commits, for housekeeping, to tell other relays of commits. */
    private static final int ALWAYS = 5;

    /** If the database cannot be asked when the application starts: what a log with exactly-once delivery may need. */
    private static final int UNKNOWN = ALWAYS + 32;

    private ConnectionsNeeded() {}

    static int least(@Nullable OutboxLayout layout) {
        return layout == null ? ALWAYS : by(layout);
    }

    static int most(@Nullable OutboxLayout layout) {
        return layout == null ? UNKNOWN : by(layout);
    }

    private static int by(OutboxLayout layout) {
        if (layout.delivery() == Delivery.EXACTLY_ONCE) {
            return ALWAYS + layout.shards();
        }
        return layout.mode() == OutboxMode.CLAIM ? ALWAYS + 1 : ALWAYS;
    }
}
