package dev.postrider.examples.commerce.statistics;

import java.util.List;
import java.util.UUID;

/** What of an event's payload is of interest here. */
sealed interface ProductEvent {

    record Liked(long productId, String user) implements ProductEvent {}

    record Viewed(long productId) implements ProductEvent {}

    record Depleted(long productId) implements ProductEvent {}

    record Paid(UUID orderId, List<Item> items) implements ProductEvent {}

    record Item(long productId, int quantity) {}
}
