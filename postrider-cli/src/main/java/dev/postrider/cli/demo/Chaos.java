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

    private final Deliverers deliverers;
    private final DevKafka kafka;
    private final DeliveryProof proof;
    private final int events;
    private final Consumer<String> tell;
    private final AtomicInteger killedRelays = new AtomicInteger();
    private final AtomicInteger pausedRelays = new AtomicInteger();
    private final AtomicInteger kafkaRestarts = new AtomicInteger();

    Chaos(Deliverers deliverers, DevKafka kafka, DeliveryProof proof, int events, Consumer<String> tell) {
        this.deliverers = deliverers;
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
        String name = deliverers.name(index);
        deliverers.kill(index);
        killedRelays.incrementAndGet();
        tell.accept(name + " killed (SIGKILL)");
        Thread.sleep(RELAY_PAUSE_MILLIS);
        deliverers.startAgain(index);
        tell.accept(name + " started again");
    }

    /** It knows nothing of it: it wakes up in the middle of what it did, and a relay must find that it has lost it. */
    private void pauseRelay(int index) throws InterruptedException {
        String name = deliverers.name(index);
        tell.accept(name + " is to pause (SIGSTOP) for " + STANDSTILL.toSeconds() + " s");
        if (deliverers.pause(index, STANDSTILL)) {
            pausedRelays.incrementAndGet();
            tell.accept(name + " goes on (SIGCONT)");
        } else {
            tell.accept(name + " was not paused: that is not possible here");
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
