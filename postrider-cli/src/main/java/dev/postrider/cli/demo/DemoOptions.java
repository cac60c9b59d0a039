package dev.postrider.cli.demo;

/**
 * What the user wants to see.
 *
 * @param events to write in committed transactions
 * @param rate events per second; 0 means as fast as possible
 * @param instances relays, each a process of its own
 * @param chaos kill relays, kill and stop Kafka on the way
 * @param verbose show what the relays log
 */
record DemoOptions(int events, int rate, int instances, boolean chaos, boolean verbose) {

    /** The first events warm up processes that have just started; they count for everything but speed. */
    int warmUpEvents() {
        return Math.min(2_000, events / 10);
    }
}
