package dev.postrider.examples.orders;

import dev.postrider.examples.orders.Order.Address;
import dev.postrider.examples.orders.Order.Customer;
import dev.postrider.examples.orders.Order.Line;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a customer wants, to place an order or to change it. */
public record OrderRequest(
        @NotNull @Valid Customer customer,
        @NotNull @Valid Address deliverTo,
        @NotEmpty @Size(max = 100) List<@NotNull @Valid Line> lines,
        @Nullable @Size(max = 500_000) String note) {

    String noteOrNone() {
        return note == null ? "" : note;
    }
}
