package dev.postrider.internal.lifecycle;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that makes one pass after the other until it is stopped. Whatever a pass throws, an {@code Error} too, is told and
 * does not end the thread.
 *
 * <p>Started once. Any thread may stop it, at any time and as often as it likes: before the start, which then starts
 * nothing; while it starts; from within a pass, which then is the last one.
 */
public final class Service {
    /** Returned by a pass that was the last one. */
    public static final long END = Long.MIN_VALUE;

    private static final Logger log = LoggerFactory.getLogger(Service.class);

    /** After a failure that could not even be told. */
    private static final long HARD_PAUSE = Duration.ofSeconds(1).toNanos();

    /** How long a thread has to end once it was interrupted. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final String name;
    private final boolean daemon;
    private final Pass pass;
    private final OnFailure onFailure;
    private final Runnable atEnd;
    private final Wakeup wakeup;

    /** Changed under this object's lock. */
    private volatile @Nullable Thread thread;

    private volatile boolean stopping;
    private boolean endedUnstarted;

    private Service(Builder builder, Pass pass) {
        this.name = builder.name;
        this.daemon = builder.daemon;
        this.onFailure = builder.onFailure;
        this.atEnd = builder.atEnd;
        this.wakeup = builder.wakeup;
        this.pass = pass;
    }

    /** What is done over and over. */
    @FunctionalInterface
    public interface Pass {
        /**
         * @return how many nanoseconds to wait before the next pass unless woken, or {@link #END}
         */
        long runOnce() throws Exception;
    }

    /** What is done about a pass that failed. */
    @FunctionalInterface
    public interface OnFailure {
        /**
         * @param again whether the pass before has failed too
         * @return as a pass does
         */
        long failed(Throwable error, boolean again);
    }

    /** Tells the first of several failures in a row: what comes from a database by its message, all else in full. */
    public static OnFailure tellOnce(Logger log, String what, Duration pause) {
        return (error, again) -> {
            if (!again && error instanceof SQLException) {
                log.warn("{}, trying again: {}", what, error.getMessage());
            } else if (!again) {
                log.error("{}, trying again", what, error);
            }
            return pause.toNanos();
        };
    }

    public static Builder named(String threadName) {
        return new Builder(threadName);
    }

    /** How a service runs. */
    public static final class Builder {
        private final String name;
        private boolean daemon = true;
        private Runnable atEnd = () -> {};
        private Wakeup wakeup = new Wakeup();
        private OnFailure onFailure;

        private Builder(String name) {
            this.name = name;
            this.onFailure = tellOnce(log, name + " has failed", Duration.ofSeconds(1));
        }

        /** Keeps the process alive. Default: it does not. */
        public Builder keepsProcessAlive() {
            this.daemon = false;
            return this;
        }

        /** Default: told once, and tried again after a second. */
        public Builder onFailure(OnFailure onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        /** Called once, as the thread's last act; by whoever stops the service if it never was started. */
        public Builder atEnd(Runnable atEnd) {
            this.atEnd = atEnd;
            return this;
        }

        /** What ends a wait. Default: one of its own. */
        public Builder wokenBy(Wakeup wakeup) {
            this.wakeup = wakeup;
            return this;
        }

        public Service doing(Pass pass) {
            return new Service(this, pass);
        }
    }

    /**
     * @throws IllegalStateException if it was started before
     */
    public synchronized void start() {
        if (thread != null) {
            throw new IllegalStateException(name + " was started already");
        }
        if (stopping) {
            return;
        }
        Thread fresh = new Thread(this::run, name);
        fresh.setDaemon(daemon);
        // Only then: a process may have no room for another thread.
        fresh.start();
        thread = fresh;
    }

    private void run() {
        try {
            boolean failing = false;
            while (!stopping) {
                long wait;
                try {
                    wait = pass.runOnce();
                    failing = false;
                } catch (Throwable e) {
                    wait = stopping ? END : tell(e, failing);
                    failing = true;
                }
                if (wait == END || !await(wait)) {
                    return;
                }
            }
        } finally {
            end();
        }
    }

    private long tell(Throwable error, boolean again) {
        try {
            return onFailure.failed(error, again);
        } catch (Throwable alsoThis) {
            return HARD_PAUSE;
        }
    }

    /**
     * @return whether to go on
     */
    private boolean await(long nanos) {
        if (stopping) {
            return false;
        }
        try {
            wakeup.await(nanos);
        } catch (InterruptedException e) {
            // Only a stop interrupts on purpose; otherwise it is a leftover of something that a pass called.
        }
        return !stopping;
    }

    private void end() {
        try {
            atEnd.run();
        } catch (Throwable e) {
            try {
                log.warn("{} did not end in order", name, e);
            } catch (Throwable alsoThis) {
                // There is nobody left to tell.
            }
        }
    }

    /** Ends a wait at once, also one that has not begun yet. Any thread. */
    public void wake() {
        wakeup.signal();
    }

    /** The pass under way is the last one. Returns at once. */
    public void askToStop() {
        boolean unstarted;
        synchronized (this) {
            stopping = true;
            unstarted = thread == null && !endedUnstarted;
            endedUnstarted |= unstarted;
        }
        wakeup.signal();
        if (unstarted) {
            end();
        }
    }

    /**
     * Asks to stop and waits for the end: for so long, then interrupts the thread and waits for another second at most.
     * From within a pass it does not wait.
     *
     * @return whether the thread has ended
     */
    public boolean stop(Duration patience) {
        askToStop();
        Thread running = thread;
        if (running == null) {
            return true;
        }
        if (running == Thread.currentThread()) {
            return false;
        }
        if (!awaitEnd(patience)) {
            running.interrupt();
            awaitEnd(AFTER_INTERRUPT);
        }
        return !running.isAlive();
    }

    /**
     * Waits for the end without asking for it.
     *
     * @return whether the thread has ended, or never began
     */
    public boolean awaitEnd(Duration patience) {
        Thread running = thread;
        if (running == null) {
            return true;
        }
        // Whoever is interrupted waits all the same: there is a bound, and half a stop helps nobody.
        boolean interrupted = false;
        long deadline = System.nanoTime() + Math.max(1, patience.toNanos());
        while (running.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(running, Math.max(1, deadline - System.nanoTime()));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !running.isAlive();
    }

    public boolean isStarted() {
        return thread != null;
    }

    public boolean isStopping() {
        return stopping;
    }

    /** Whether it was started and its thread is there. */
    public boolean isAlive() {
        Thread running = thread;
        return running != null && running.isAlive();
    }

    /** Whether it is its thread that asks. */
    public boolean isCurrent() {
        return thread == Thread.currentThread();
    }

    /** Where its thread is at this moment, for a message to people. */
    public String whereabouts() {
        Thread running = thread;
        StringBuilder text = new StringBuilder(name);
        if (running != null) {
            for (StackTraceElement frame : running.getStackTrace()) {
                text.append(System.lineSeparator()).append("    at ").append(frame);
            }
        }
        return text.toString();
    }
}
