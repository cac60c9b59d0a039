package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import java.util.Map;

/**
 * An event as it is posted, but for the signature.
 *
 * @param headers beside the content type; those of the writer's among them may be unusable
 */
record Message(String contentType, Map<String, String> headers, byte[] body) {

    /** Makes messages of events. Any thread. */
    @FunctionalInterface
    interface Layout {
        Message of(OutboxEvent event);
    }
}
