package dev.postrider.internal.store;

import dev.postrider.OutboxEvent;
import java.util.Map;

/**
 * An event and the claim under which it is sent.
 *
 * @param fetchedAtNanos when it came from the database, by this machine's monotonic clock
 */
public record StoredEvent(RowClaim claim, OutboxEvent event, long fetchedAtNanos) {

    /** What it takes in memory, about: the payload and the headers. */
    public long bytes() {
        long bytes = event.payload().bytes().length;
        for (Map.Entry<String, String> header : event.headers().entrySet()) {
            bytes += header.getKey().length() + header.getValue().length();
        }
        return bytes;
    }
}
