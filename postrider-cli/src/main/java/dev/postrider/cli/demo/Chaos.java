package dev.postrider.cli.demo;

import dev.postrider.cli.demo.Participants.State;
import dev.postrider.devservices.DevKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Breaks things one after the other while events flow: kills relays, pauses one for longer than its lease, kills
 * Kafka, stops Kafka. Each comes back after a moment; the next is broken as soon as what waited has been delivered.
 */
final class Chaos {
    static final String KAFKA = "Kafka";

    /** About how long it takes to break everything once. */
    static final int SECONDS = 60;

    /** Long enough for others to take over what a relay had, whose lease is three seconds long. */
    private static final Duration STANDSTILL = Duration.ofSeconds(6);

    private static final long RELAY_PAUSE_MILLIS = 1_000;
    private static final long KAFKA_PAUSE_MILLIS = 2_000;

    /** Between two faults, so that each is seen for itself. */
    private static final long QUIET_MILLIS = 1_500;

    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);

    private final Deliverers deliverers;
    private final DevKafka kafka;
    private final DeliveryProof proof;
    private final Participants participants;
    private final int caughtUp;
    private final Consumer<String> tell;
    private final List<Fault> faults = new ArrayList<>();

    /**
     * @param rate at which events flow; what is written in a moment always waits
     */
    Chaos(
            Deliverers deliverers,
            DevKafka kafka,
            DeliveryProof proof,
            Participants participants,
            int rate,
            Consumer<String> tell) {
        this.deliverers = deliverers;
        this.kafka = kafka;
        this.proof = proof;
        this.participants = participants;
        this.caughtUp = Math.max(20, rate / 4);
        this.tell = tell;
    }

    /**
     * Something that was broken.
     *
     * @param began {@link System#nanoTime}
     * @param away how long until it had been started again
     */
    record Fault(Kind kind, String what, long began, Duration away) {
        enum Kind {
            KILLED,
            PAUSED,
            KAFKA_DOWN
        }
    }

    /** Returns when everything was broken and has recovered. */
    void run() throws InterruptedException {
        List<String> names = deliverers.names();
        String first = names.get(0);
        String last = names.get(names.size() - 1);
        kill(List.of(first));
        restartKafka(State.KILLED, "killed (SIGKILL)", kafka::kill);
        pause(first);
        kill(List.of(last));
        restartKafka(State.STOPPED, "stopped", kafka::stop);
        kill(names);
    }

    synchronized List<Fault> faults() {
        return List.copyOf(faults);
    }

    private void kill(List<String> killed) throws InterruptedException {
        long began = System.nanoTime();
        String names = String.join(" and ", killed);
        for (String name : killed) {
            deliverers.kill(name);
            participants.is(name, State.KILLED);
        }
        tell.accept(names + " killed (SIGKILL)");
        Thread.sleep(RELAY_PAUSE_MILLIS);
        for (String name : killed) {
            deliverers.startAgain(name);
            participants.is(name, State.UP);
        }
        tell.accept(names + " started again");
        over(Fault.Kind.KILLED, names + " killed", began);
    }

    /** A relay knows nothing of it: it wakes up in the middle of what it did, and must find that it has lost it. */
    private void pause(String name) throws InterruptedException {
        long began = System.nanoTime();
        tell.accept(name + " pauses (SIGSTOP) for " + STANDSTILL.toSeconds() + " s");
        participants.is(name, State.PAUSED);
        boolean paused = deliverers.pause(name, STANDSTILL);
        participants.is(name, State.UP);
        if (!paused) {
            tell.accept(name + " was not paused: that is not possible here");
            return;
        }
        tell.accept(name + " goes on (SIGCONT)");
        over(Fault.Kind.PAUSED, name + " paused", began);
    }

    private void restartKafka(State state, String how, Runnable end) throws InterruptedException {
        long began = System.nanoTime();
        tell.accept("Kafka is " + how);
        end.run();
        participants.is(KAFKA, state);
        Thread.sleep(KAFKA_PAUSE_MILLIS);
        kafka.restart();
        participants.is(KAFKA, State.UP);
        tell.accept("Kafka is back");
        over(Fault.Kind.KAFKA_DOWN, "Kafka " + state.word(), began);
    }

    /** What was broken is back; waits until nobody notices it any more. */
    private void over(Fault.Kind kind, String what, long began) throws InterruptedException {
        long back = System.nanoTime();
        synchronized (this) {
            faults.add(new Fault(kind, what, began, Duration.ofNanos(back - began)));
        }
        while (proof.missing() > caughtUp && System.nanoTime() - back < RECOVERY_LIMIT.toNanos()) {
            Thread.sleep(20);
        }
        Thread.sleep(QUIET_MILLIS);
    }
}
