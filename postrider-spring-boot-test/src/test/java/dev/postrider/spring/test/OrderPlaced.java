package dev.postrider.spring.test;

import dev.postrider.spring.MappedEvent;

@MappedEvent(type = "shop.order.placed", aggregateType = "order", aggregateId = "orderId")
record OrderPlaced(String orderId, long cents) {}
