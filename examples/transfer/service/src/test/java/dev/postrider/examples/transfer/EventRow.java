package dev.postrider.examples.transfer;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A row of the view {@code transfer_outbox}: the outbox in the words of this system. */
record EventRow(
        long id,
        UUID eventId,
        String eventType,
        String aggregateType,
        String aggregateId,
        String status,
        int attemptCount,
        Instant createdAt,
        @Nullable Instant publishedAt,
        @Nullable String lastError) {

    /** The only event of a transfer. */
    static EventRow of(JdbcClient jdbc, Object transfer) {
        return jdbc.sql("select * from transfer_outbox where aggregate_id = ?")
                .param(transfer.toString())
                .query(EventRow.class)
                .single();
    }
}
