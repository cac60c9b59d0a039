package dev.postrider.examples.orders;

import dev.postrider.examples.orders.Order.Address;
import dev.postrider.examples.orders.Order.Customer;
import dev.postrider.examples.orders.Order.Line;
import java.math.BigDecimal;
import java.util.List;

final class SampleOrders {
    private SampleOrders() {}

    static OrderRequest cups(int quantity) {
        return new OrderRequest(
                new Customer("Ada Lovelace", "ada@example.org"),
                new Address("12 St James's Square", "SW1Y", "London"),
                List.of(
                        new Line("cup-1", "Cup", quantity, new BigDecimal("4.50")),
                        new Line("pot-7", "Pot", 1, new BigDecimal("20.00"))),
                "Ring twice.");
    }
}
