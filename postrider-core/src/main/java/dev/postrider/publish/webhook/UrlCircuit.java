package dev.postrider.publish.webhook;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether one of several URLs takes events. If at least half of its last answers, ten at most and five at least, are failures
 * of the server, its events wait; after a while three of them try. If all three get through it is as before, if one fails they
 * wait again. Guarded by its {@link RequestPipeline}.
 */
final class UrlCircuit {
    private static final Logger log = LoggerFactory.getLogger(UrlCircuit.class);
    private static final int WINDOW = 10;
    private static final int MINIMUM = 5;
    private static final int TRIALS = 3;

    private final String name;
    private final Duration openFor;

    /** Whether the last ones were failures. */
    private final Deque<Boolean> answers = new ArrayDeque<>();

    private State state = State.CLOSED;
    private long openUntil;
    private int trying;
    private int succeeded;

    private enum State {
        CLOSED,
        OPEN,
        HALF_OPEN
    }

    UrlCircuit(String name, Duration openFor) {
        this.name = name;
        this.openFor = openFor;
    }

    String name() {
        return name;
    }

    boolean isClosed() {
        return state == State.CLOSED;
    }

    /** How many events may be sent now. */
    int permits(long now) {
        return switch (state) {
            case CLOSED -> Integer.MAX_VALUE;
            case OPEN -> now - openUntil < 0 ? 0 : TRIALS;
            case HALF_OPEN -> TRIALS - trying - succeeded;
        };
    }

    /** One is about to be sent. */
    boolean take(long now) {
        if (permits(now) <= 0) {
            return false;
        }
        if (state == State.OPEN) {
            become(State.HALF_OPEN, "some events try");
        }
        if (state == State.HALF_OPEN) {
            trying++;
        }
        return true;
    }

    /** Nothing is known of what became of it. */
    void giveBack() {
        if (state == State.HALF_OPEN && trying > 0) {
            trying--;
        }
    }

    /**
     * @param failed whether it is the server's fault
     * @return whether it has been opened by this
     */
    boolean answered(boolean failed, long now) {
        if (state == State.HALF_OPEN) {
            giveBack();
            if (failed) {
                open(now, "a trial has failed");
                return true;
            }
            if (++succeeded == TRIALS) {
                become(State.CLOSED, "all trials got through");
            }
            return false;
        }
        if (state == State.OPEN) {
            return false;
        }
        answers.add(failed);
        if (answers.size() > WINDOW) {
            answers.remove();
        }
        long failures = answers.stream().filter(one -> one).count();
        boolean opens = answers.size() >= MINIMUM && failures * 2 >= answers.size();
        if (opens) {
            open(now, failures + " of the last " + answers.size() + " requests have failed");
        }
        return opens;
    }

    void open(long now, String why) {
        openUntil = now + openFor.toNanos();
        become(State.OPEN, why);
    }

    private void become(State next, String why) {
        if (next == State.OPEN) {
            log.error(
                    "{}: circuit {} → open for {} s, {}: its events wait, others go on",
                    name,
                    label(state),
                    openFor.toSeconds(),
                    why);
        } else {
            log.warn("{}: circuit {} → {}, {}", name, label(state), label(next), why);
        }
        state = next;
        answers.clear();
        trying = 0;
        succeeded = 0;
    }

    private static String label(State state) {
        return switch (state) {
            case CLOSED -> "closed";
            case OPEN -> "open";
            case HALF_OPEN -> "half-open";
        };
    }
}
