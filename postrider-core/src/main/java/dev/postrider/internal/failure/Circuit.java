package dev.postrider.internal.failure;

import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.PublishResult;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a destination that is down from an event that has bad luck. While it is open nothing is
 * fetched, so an outage leaves the rows alone.
 *
 * <p>An event that found no way in counts against the destination only if nothing else got in since it
 * was handed over: one partition without a leader is not an outage as long as the others take events.
 *
 * <p>Used by the relay's thread; the state may be read by any.
 */
public final class Circuit {
    private static final Logger log = LoggerFactory.getLogger(Circuit.class);

    /** Tells the breaker that there was a failure; nobody throws it, and it has no stack trace. */
    @SuppressWarnings("StaticAssignmentOfThrowable")
    private static final Outage OUTAGE = new Outage();

    private final CircuitBreaker breaker;
    private volatile long lastAccepted = System.nanoTime() - Long.MAX_VALUE / 2;

    /** When the last outage began. */
    private long closedUntil = System.nanoTime();

    /** Whether the last that was heard of the destination is that it could not even be reached. */
    private boolean unreachable;

    /** Permits of the trial under way that were neither used up by an answer nor given back. */
    private int permitsOut;

    /** When the trial under way began: events that were sent before it have no permit of it. */
    private long trialSince = System.nanoTime();

    /** Until then the destination does not want to be tried. */
    private long notBefore = System.nanoTime();

    public Circuit(String name, CircuitSettings settings, Consumer<State> onChange) {
        this.breaker = CircuitBreaker.of(
                name,
                CircuitBreakerConfig.custom()
                        .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(settings.window())
                        .minimumNumberOfCalls(settings.minimumCalls())
                        .failureRateThreshold((float) Math.min(100, settings.failureRate()))
                        .waitDurationInOpenState(settings.openFor())
                        .permittedNumberOfCallsInHalfOpenState(settings.trialCalls())
                        .build());
        if (settings.isOff()) {
            breaker.transitionToDisabledState();
        }
        // Told before the transition that follows from it.
        breaker.getEventPublisher()
                .onFailureRateExceeded(event -> log.error(
                        "[{}] the destination does not accept events: {} % of the last {} failed",
                        name, Math.round(event.getFailureRate()), settings.window()));
        breaker.getEventPublisher().onStateTransition(event -> {
            State from = stateOf(event.getStateTransition().getFromState());
            State to = state();
            log.warn("[{}] circuit {} → {}{}", name, from.label(), to.label(), consequence(to, settings.openFor()));
            beginTrial();
            if (from == State.CLOSED) {
                closedUntil = System.nanoTime();
            } else if (to == State.CLOSED) {
                log.info(
                        "[{}] the destination accepts events again, after {} s",
                        name,
                        Duration.ofNanos(System.nanoTime() - closedUntil).toSeconds());
            }
            onChange.accept(to);
        });
    }

    private void beginTrial() {
        permitsOut = 0;
        trialSince = System.nanoTime();
    }

    /** What a circuit lets through. */
    public enum State {
        CLOSED("closed"),
        OPEN("open"),
        HALF_OPEN("half-open");

        private final String label;

        State(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    private static String consequence(State to, Duration openFor) {
        return to == State.OPEN ? ": nothing is sent for " + openFor.toMillis() / 1000.0 + " s" : "";
    }

    public State state() {
        return stateOf(breaker.getState());
    }

    private static State stateOf(CircuitBreaker.State state) {
        return switch (state) {
            case OPEN, FORCED_OPEN -> State.OPEN;
            case HALF_OPEN -> State.HALF_OPEN;
            default -> State.CLOSED;
        };
    }

    /**
     * How many of the wanted events may be sent now: all while closed, none while open, a few to try.
     * What is not used must be {@linkplain #giveBack given back}.
     */
    public int permits(int wanted) {
        if (state() == State.CLOSED) {
            return wanted;
        }
        if (System.nanoTime() - notBefore < 0) {
            return 0;
        }
        int permits = 0;
        while (permits < wanted && breaker.tryAcquirePermission()) {
            permits++;
            permitsOut++;
        }
        return permits;
    }

    /** Of what {@link #permits} allowed: this many events were not sent, so that others may try. */
    public void giveBack(int permits) {
        int returned = state() == State.HALF_OPEN ? Math.max(0, Math.min(permits, permitsOut)) : 0;
        permitsOut -= returned;
        for (int i = 0; i < returned; i++) {
            breaker.releasePermission();
        }
    }

    /**
     * Takes note of one answer. An open circuit stays so at least for as long as the destination asks to be left alone.
     *
     * @param handedOver when the event was handed to the publisher, by {@link System#nanoTime}
     * @param answered when the answer came
     */
    public void record(PublishResult result, long handedOver, long answered) {
        if (result instanceof PublishResult.Unresolved
                || result instanceof PublishResult.Blocked
                || result instanceof PublishResult.Unavailable one && one.oneOfSeveral()) {
            // None of these says anything of the whole.
            giveBack(hadPermit(handedOver) ? 1 : 0);
        } else if (!(result instanceof PublishResult.Unavailable unavailable)) {
            // A destination that rejects an event is up.
            lastAccepted = answered;
            permitsOut = Math.max(0, permitsOut - (hadPermit(handedOver) ? 1 : 0));
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        } else if (lastAccepted - handedOver < 0 || state() == State.HALF_OPEN) {
            unreachable = false;
            Duration retryAfter = unavailable.retryAfter();
            if (retryAfter != null && answered + retryAfter.toNanos() - notBefore > 0) {
                notBefore = answered + retryAfter.toNanos();
            }
            fail();
        }
    }

    private boolean hadPermit(long handedOver) {
        return handedOver - trialSince >= 0;
    }

    private void fail() {
        if (state() == State.HALF_OPEN) {
            // One trial that fails is enough; the breaker itself would ask for half of them.
            breaker.transitionToOpenState();
        } else {
            breaker.onError(0, TimeUnit.NANOSECONDS, OUTAGE);
        }
    }

    /** A destination that cannot be made ready for events takes none: that counts as one that failed. */
    public void unreachable() {
        unreachable = true;
        fail();
    }

    /**
     * The destination was made ready for events. If the last that was heard of it is that it could not be, events may try at
     * once. If it took none although it was ready, this says nothing new.
     */
    public void reached() {
        if (unreachable && state() == State.OPEN) {
            breaker.transitionToHalfOpenState();
        }
        unreachable = false;
    }

    /** Whoever had permits is gone and tells nothing of its trials: others may try in its place. */
    public void forgetTrials() {
        if (state() == State.HALF_OPEN) {
            breaker.transitionToHalfOpenState();
            beginTrial();
        }
    }

    /** Whether the destination has taken, or rejected, an event since then, by {@link System#nanoTime}. Any thread. */
    public boolean hasAcceptedSince(long nanos) {
        return lastAccepted - nanos > 0;
    }

    /** The breaker wants an exception; it says nothing that the answer did not. */
    private static final class Outage extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Outage() {
            super("unavailable", null, false, false);
        }
    }
}
