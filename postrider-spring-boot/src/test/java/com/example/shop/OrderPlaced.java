package com.example.shop;

import dev.postrider.spring.MappedEvent;

@MappedEvent(type = "shop.order.placed", aggregateType = "order", aggregateId = "orderId")
public record OrderPlaced(String orderId, long cents) {}
