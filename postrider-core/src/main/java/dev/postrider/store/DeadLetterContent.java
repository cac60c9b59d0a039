package dev.postrider.store;

import dev.postrider.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with everything that is in it. Not an {@link dev.postrider.OutboxEvent}, because some died
 * of not being one.
 *
 * @param headers a JSON object, as stored
 */
public record DeadLetterContent(
        DeadLetter letter,
        @Nullable String source,
        Payload payload,
        @Nullable String headers,
        @Nullable String requestId,
        @Nullable String contentHash,
        Instant occurredAt,
        Instant createdAt,
        @Nullable Integer maxRetries) {}
