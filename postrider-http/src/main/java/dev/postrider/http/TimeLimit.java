package dev.postrider.http;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A request with a time limit. The JDK's server reads and writes on the thread of its executor, through channels that an
 * interrupt closes: so a client that sends or reads too slowly loses its connection, and the thread is free.
 */
final class TimeLimit implements Runnable {
    private final Runnable request;
    private final Duration limit;
    private final ScheduledExecutorService clock;
    private boolean done;

    TimeLimit(Runnable request, Duration limit, ScheduledExecutorService clock) {
        this.request = request;
        this.limit = limit;
        this.clock = clock;
    }

    @Override
    public void run() {
        Thread thread = Thread.currentThread();
        ScheduledFuture<?> end =
                clock.schedule(() -> interruptUnlessDone(thread), limit.toNanos(), TimeUnit.NANOSECONDS);
        try {
            request.run();
        } finally {
            synchronized (this) {
                done = true;
            }
            end.cancel(false);
            // The interrupt was for this request, not for the next one.
            Thread.interrupted();
        }
    }

    private synchronized void interruptUnlessDone(Thread thread) {
        if (!done) {
            thread.interrupt();
        }
    }
}
