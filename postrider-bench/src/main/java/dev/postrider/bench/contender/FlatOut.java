package dev.postrider.bench.contender;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Writes as fast as several threads can, for a while. */
final class FlatOut {
    private FlatOut() {}

    /**
     * @return the transactions committed
     */
    static long run(Contender contender, Order order) throws Exception {
        AtomicLong next = new AtomicLong(order.from());
        AtomicLong transactions = new AtomicLong();
        AtomicReference<Exception> failure = new AtomicReference<>();
        long end = System.nanoTime() + (long) (order.seconds() * 1e9);
        Thread[] threads = new Thread[order.threads()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(
                    () -> {
                        while (System.nanoTime() < end && failure.get() == null) {
                            try {
                                long from = next.getAndAdd(order.events());
                                contender.write(BenchEvent.range(from, order.events(), order.shape()));
                                transactions.incrementAndGet();
                            } catch (Exception e) {
                                failure.compareAndSet(null, e);
                            }
                        }
                    },
                    "writer-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
        return transactions.get();
    }
}
