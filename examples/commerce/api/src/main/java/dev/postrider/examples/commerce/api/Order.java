package dev.postrider.examples.commerce.api;

import dev.postrider.examples.commerce.api.event.DomainEvent.Item;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;

/** What a customer has ordered. */
public record Order(UUID id, Status status, String customer, List<Item> items, BigDecimal total) {

    /** What has become of it. */
    public enum Status {
        CREATED,
        PAID,
        CANCELED
    }

    /** What a customer wants. */
    public record Request(
            @NotBlank @Size(max = 200) String customer,
            @NotEmpty @Size(max = 100) List<@Valid Line> lines) {}

    /** So many of a product. */
    public record Line(long productId, @Min(1) @Max(1000) int quantity) {}
}
