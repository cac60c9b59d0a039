package dev.postrider.bench.contender;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes events at a steady rate: event number n is due n ÷ rate seconds after the first, whatever the ones before it
 * took. Each of a few threads takes the events of its own keys, so that events of a key are written in order.
 */
final class PacedWriter {
    private final Contender contender;
    private final Order order;
    private final long[] commits;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    PacedWriter(Contender contender, Order order) {
        this.contender = contender;
        this.order = order;
        this.commits = new long[order.count()];
    }

    long[] run() throws Exception {
        long begin = System.nanoTime() + 50_000_000L;
        Thread[] threads = new Thread[order.threads()];
        for (int i = 0; i < threads.length; i++) {
            int own = i;
            threads[i] = new Thread(() -> write(own, begin), "writer-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return commits;
    }

    private void write(int own, long begin) {
        int threads = order.threads();
        int keys = order.shape().keys();
        for (int i = 0; i < commits.length && failure.get() == null; i++) {
            long number = order.from() + i;
            if (number % keys % threads != own) {
                continue;
            }
            long due = begin + (long) (i * 1e9 / order.rate());
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            try {
                contender.write(List.of(BenchEvent.of(number, order.shape())));
                commits[i] = System.nanoTime();
            } catch (Exception e) {
                failure.compareAndSet(null, e);
            }
        }
    }
}
