package dev.postrider.examples.commerce.api;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.UUID;

/** Money for an order. */
public record Payment(UUID id, UUID orderId, BigDecimal amount, Status status) {

    /** What has become of it. */
    public enum Status {
        CREATED,
        PAID,
        FAILED
    }

    /** Somebody wants to pay. */
    public record Request(@NotNull UUID orderId) {}

    /** Why the bank has refused. */
    public record Refusal(@NotBlank @Size(max = 200) String reason) {}
}
