package dev.postrider.cli.demo;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;

/**
 * What the user wants to see.
 *
 * @param database on which the outbox is
 * @param layout of the outbox
 * @param rate events per second while latency is measured, and while things are broken
 * @param seconds for which latency is measured
 * @param backlog events that wait when throughput is measured; 0 leaves this out
 * @param viaDebezium Debezium delivers, and no relay
 * @param instances relays, each a process of its own
 * @param chaos kill and pause relays, kill and stop Kafka on the way
 * @param verbose show what the relays log
 */
record DemoOptions(
        DemoDatabase database,
        OutboxLayout layout,
        int rate,
        int seconds,
        int backlog,
        boolean viaDebezium,
        int instances,
        boolean chaos,
        boolean verbose) {

    boolean exactlyOnce() {
        return layout.delivery() == Delivery.EXACTLY_ONCE;
    }
}
