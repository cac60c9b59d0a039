package dev.postrider.examples.logistics.orders;

import java.util.List;
import java.util.UUID;

/** What is to be delivered, and how far it has come. */
public record Order(UUID id, String customer, String destination, List<Item> items, String step, int version) {
    public record Item(String article, int quantity) {}
}
