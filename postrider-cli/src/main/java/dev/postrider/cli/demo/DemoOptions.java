package dev.postrider.cli.demo;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;

/**
 * What the user wants to see.
 *
 * @param database on which the outbox is
 * @param layout of the outbox
 * @param events to write in committed transactions
 * @param rate events per second; 0 means as fast as possible
 * @param viaDebezium Debezium delivers, and no relay
 * @param instances relays, each a process of its own
 * @param chaos kill and pause relays, kill and stop Kafka on the way
 * @param verbose show what the relays log
 */
record DemoOptions(
        DemoDatabase database,
        OutboxLayout layout,
        int events,
        int rate,
        boolean viaDebezium,
        int instances,
        boolean chaos,
        boolean verbose) {

    boolean exactlyOnce() {
        return layout.delivery() == Delivery.EXACTLY_ONCE;
    }

    /** The first events warm up processes that have just started; they count for everything but speed. */
    int warmUpEvents() {
        return Math.min(2_000, events / 10);
    }
}
