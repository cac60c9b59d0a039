package dev.postrider.admin;

import dev.postrider.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with its whole content. Not an {@link dev.postrider.OutboxEvent}, because some dead letters are not
 * valid events.
 *
 * @param payload null if the event is too large to be shown
 * @param size lower bound of the event's size in bytes, including its headers
 * @param headers a JSON object, as stored; null also if the event is too large to be shown
 */
public record DeadLetterContent(
        DeadLetter letter,
        @Nullable String source,
        @Nullable Payload payload,
        String contentType,
        long size,
        @Nullable String headers,
        @Nullable String requestId,
        @Nullable String contentHash,
        Instant occurredAt,
        Instant createdAt,
        @Nullable Integer maxRetries) {}
