package dev.postrider.bench.contender.gruelbox;

import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers between a start and a stop: a pool of senders, fed by writers after their commits and by a thread that calls
 * {@code flush()} without a pause as long as there is something to flush.
 *
 * <p>A writer never waits for a full queue, its events wait in the table then; the flushing thread does wait, which is how
 * gruelbox wants it when it is called in a loop. Events in the queue are not flushed again before {@link
 * #ATTEMPT_FREQUENCY}, by when they have been sent.
 */
final class Flushing {
    static final int SENDERS = 64;
    static final int QUEUE = 10_000;
    static final int BATCH = 4096;
    static final Duration ATTEMPT_FREQUENCY = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(Flushing.class);
    private static final long PAUSE_MILLIS = 100;

    private final ArrayBlockingQueue<Runnable> queue = new ArrayBlockingQueue<>(QUEUE);
    private final ThreadPoolExecutor senders = new ThreadPoolExecutor(SENDERS, SENDERS, 0, TimeUnit.SECONDS, queue);
    private final Thread thread = new Thread(this::flush, "gruelbox-flush");
    private final TransactionOutbox outbox;
    private volatile boolean stopping;

    private Flushing(BiFunction<Duration, Submitter, TransactionOutbox> maker) {
        this.outbox = maker.apply(ATTEMPT_FREQUENCY, (entry, process) -> submit(() -> process.accept(entry)));
    }

    /**
     * @param maker gives the outbox for an attempt frequency and a submitter
     */
    static Flushing start(BiFunction<Duration, Submitter, TransactionOutbox> maker) {
        Flushing flushing = new Flushing(maker);
        flushing.thread.start();
        return flushing;
    }

    TransactionOutbox outbox() {
        return outbox;
    }

    private void submit(Runnable task) {
        try {
            senders.execute(task);
        } catch (RejectedExecutionException full) {
            if (Thread.currentThread() == thread) {
                submitWhenThereIsRoom(task);
            }
        }
    }

    private void submitWhenThereIsRoom(Runnable task) {
        try {
            boolean taken = false;
            while (!taken && !stopping) {
                taken = queue.offer(task, 10, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void flush() {
        while (!stopping) {
            try {
                if (!outbox.flush()) {
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                log.warn("flush() failed and is called again", e);
            }
        }
    }

    /** Flushes no more and sends what is in the queue. */
    void stop() throws InterruptedException {
        stopping = true;
        thread.join();
        senders.shutdown();
        if (!senders.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("senders of gruelbox are still busy after a minute");
        }
    }
}
