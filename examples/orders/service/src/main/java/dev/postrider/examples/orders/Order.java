package dev.postrider.examples.orders;

import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;

/** What a customer has ordered. Each change makes a new version. */
public record Order(
        UUID id, int version, Customer customer, Address deliverTo, List<Line> lines, String note, BigDecimal total) {

    public record Customer(
            @NotBlank @Size(max = 200) String name,
            @NotBlank @Email @Size(max = 200) String email) {}

    public record Address(
            @NotBlank @Size(max = 200) String street,
            @NotBlank @Size(max = 20) String postcode,
            @NotBlank @Size(max = 100) String city) {}

    public record Line(
            @NotBlank @Size(max = 50) String article,
            @NotBlank @Size(max = 200) String name,
            @Min(1) @Max(10_000) int quantity,
            @NotNull @DecimalMin("0.00") BigDecimal price) {}

    static Order placed(UUID id, OrderRequest request) {
        return new Order(
                id,
                1,
                request.customer(),
                request.deliverTo(),
                request.lines(),
                request.noteOrNone(),
                total(request.lines()));
    }

    Order changed(OrderRequest request) {
        return new Order(
                id,
                version + 1,
                request.customer(),
                request.deliverTo(),
                request.lines(),
                request.noteOrNone(),
                total(request.lines()));
    }

    private static BigDecimal total(List<Line> lines) {
        return lines.stream()
                .map(line -> line.price().multiply(BigDecimal.valueOf(line.quantity())))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
