package dev.postrider.examples.orders.demo;

import java.util.UUID;

/** What an event is about. */
record OrderVersion(UUID order, int version) {}
