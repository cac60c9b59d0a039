package dev.postrider.spring.transaction;

import dev.postrider.spring.MappedEvent;

/** What happens in these tests. */
@MappedEvent(type = "order.placed", aggregateType = "order", aggregateId = "orderId")
public record OrderPlaced(String orderId, long cents) {}
