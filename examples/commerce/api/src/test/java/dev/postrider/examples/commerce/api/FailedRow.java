package dev.postrider.examples.commerce.api;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A row of the view {@code outbox_failed}. */
record FailedRow(
        UUID id,
        String eventType,
        String aggregateType,
        String aggregateId,
        @Nullable String source,
        String payload,
        @Nullable String headers,
        Instant occurredAt,
        int retryCount,
        Instant failedAt,
        @Nullable Instant nextRetryAt,
        String lastError) {
    static final FailedRow NONE =
            new FailedRow(new UUID(0, 0), "", "", "", null, "", null, Instant.EPOCH, -1, Instant.EPOCH, null, "");
}
