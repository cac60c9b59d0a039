package dev.postrider.examples.orders;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A row of the view {@code order_outbox}: the outbox in the words of this system. */
record OutboxRow(
        UUID id,
        String eventType,
        String aggregateId,
        String status,
        Instant createdAt,
        @Nullable Instant sentAt,
        int retryCount,
        @Nullable String errorMessage) {

    /** The only event of an order. */
    static OutboxRow of(JdbcClient jdbc, UUID order) {
        return jdbc.sql("select * from order_outbox where aggregate_id = ?")
                .param(order.toString())
                .query(OutboxRow.class)
                .single();
    }
}
