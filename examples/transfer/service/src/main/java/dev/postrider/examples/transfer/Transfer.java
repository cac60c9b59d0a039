package dev.postrider.examples.transfer;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

/** Money that has moved from one account to another. */
public record Transfer(UUID id, long from, long to, BigDecimal amount, Instant at) {

    /** What a customer wants. */
    public record Wanted(
            @Positive long from,
            @Positive long to,

            @NotNull @Positive @Digits(integer = 12, fraction = 2)
            BigDecimal amount) {}

    static Transfer now(Wanted wanted) {
        return new Transfer(UUID.randomUUID(), wanted.from(), wanted.to(), wanted.amount(), Instant.now());
    }
}
