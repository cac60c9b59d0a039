package dev.postrider.spring.event.shop;

import dev.postrider.spring.MappedEvent;

/** An event whose mapping is its annotation. */
@MappedEvent(type = "order.cancelled", aggregateType = "order", aggregateId = "order")
public record OrderCancelled(String order, String reason) {}
