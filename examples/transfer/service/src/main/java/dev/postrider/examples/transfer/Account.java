package dev.postrider.examples.transfer;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;

/** Somebody's money. */
public record Account(long number, String owner, BigDecimal balance) {

    /** What it takes to open one. */
    public record Opening(
            @NotBlank @Size(max = 200) String owner,

            @NotNull @PositiveOrZero @Digits(integer = 12, fraction = 2)
            BigDecimal balance) {}
}
