package dev.postrider.cli.demo;

import dev.postrider.devservices.DevKafka;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Breaks things while events flow, at fixed shares of what is to be written: kills relays, pauses one for longer
 * than its lease, kills Kafka, stops Kafka. Each comes back after a moment.
 */
final class Chaos {
    /** What it takes to see all of it happen while events flow. */
    static final int SECONDS = 45;

    /** Long enough for others to take over what a relay had, whose lease is three seconds long. */
    private static final Duration STANDSTILL = Duration.ofSeconds(6);

    private static final long RELAY_PAUSE_MILLIS = 1_000;
    private static final long KAFKA_PAUSE_MILLIS = 2_000;

    private final RelayFleet relays;
    private final DevKafka kafka;
    private final DeliveryProof proof;
    private final int events;
    private final Consumer<String> tell;
    private final AtomicInteger killedRelays = new AtomicInteger();
    private final AtomicInteger pausedRelays = new AtomicInteger();
    private final AtomicInteger kafkaRestarts = new AtomicInteger();

    Chaos(RelayFleet relays, DevKafka kafka, DeliveryProof proof, int events, Consumer<String> tell) {
        this.relays = relays;
        this.kafka = kafka;
        this.proof = proof;
        this.events = events;
        this.tell = tell;
    }

    void run() throws InterruptedException {
        awaitShare(0.12);
        killRelay(0);
        awaitShare(0.25);
        restartKafka("killed (SIGKILL)", kafka::kill);
        awaitShare(0.40);
        pauseRelay(0);
        awaitShare(0.56);
        killRelay(1);
        awaitShare(0.68);
        restartKafka("stopped", kafka::stop);
        awaitShare(0.90);
        killRelay(0);
        killRelay(1);
    }

    /** What was done so far. */
    record Toll(int killedRelays, int pausedRelays, int kafkaRestarts) {}

    Toll toll() {
        return new Toll(killedRelays.get(), pausedRelays.get(), kafkaRestarts.get());
    }

    private void awaitShare(double share) throws InterruptedException {
        while (proof.committedEvents() < share * events) {
            Thread.sleep(20);
        }
    }

    private void killRelay(int index) throws InterruptedException {
        RelayProcess relay = relays.get(index);
        relay.kill();
        killedRelays.incrementAndGet();
        tell.accept(relay.name() + " killed (SIGKILL)");
        Thread.sleep(RELAY_PAUSE_MILLIS);
        relay.start();
        tell.accept(relay.name() + " started again");
    }

    /** The relay knows nothing of it: it wakes up in the middle of what it did, and must find that it has lost it. */
    private void pauseRelay(int index) throws InterruptedException {
        RelayProcess relay = relays.get(index);
        tell.accept(relay.name() + " paused (SIGSTOP) for " + STANDSTILL.toSeconds() + " s");
        if (relay.pause(STANDSTILL)) {
            pausedRelays.incrementAndGet();
            tell.accept(relay.name() + " goes on (SIGCONT)");
        } else {
            tell.accept(relay.name() + " was not paused: that is not possible on this machine");
        }
    }

    private void restartKafka(String how, Runnable end) throws InterruptedException {
        end.run();
        tell.accept("Kafka " + how);
        Thread.sleep(KAFKA_PAUSE_MILLIS);
        kafka.restart();
        kafkaRestarts.incrementAndGet();
        tell.accept("Kafka is back");
    }
}
