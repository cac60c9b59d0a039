package dev.postrider.examples.commerce.api;

import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;

/** What can be bought, and how much of it is there. */
public record Product(long id, String name, BigDecimal price, int stock) {

    /** A product to be. */
    public record Offer(
            @NotBlank @Size(max = 200) String name,
            @NotNull @DecimalMin("0.00") BigDecimal price,
            @Min(1) int stock) {}
}
