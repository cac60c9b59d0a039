package dev.postrider.internal.lifecycle;

import java.time.Duration;

/**
 * Shows others that a thread goes on. The thread stamps each step; whoever watches asks how old the stamp is. A step that may
 * take long says so before.
 */
public final class Progress {
    private volatile long steppedAt = System.nanoTime();
    private volatile long allowed;

    /** By the thread that is watched. */
    public void step() {
        // In this order, and the other one below: in between, the old stamp must not look older than it is.
        steppedAt = System.nanoTime();
        allowed = 0;
    }

    /** By the thread that is watched: the step that begins now may take that much longer than others. */
    public void longStep(Duration longer) {
        allowed = longer.toNanos();
        steppedAt = System.nanoTime();
    }

    public Duration sinceStep() {
        return Duration.ofNanos(System.nanoTime() - steppedAt);
    }

    /** Whether no step was made for so long, and the one under way may not take longer. */
    public boolean hasStoppedFor(Duration limit) {
        return System.nanoTime() - steppedAt - allowed > limit.toNanos();
    }
}
