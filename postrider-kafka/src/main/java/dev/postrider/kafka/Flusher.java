package dev.postrider.kafka;

import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * Ends a producer's lingering. A flush waits until everything is answered, which the relay's thread must not, so it has
 * a thread of its own. What is sent while a flush waits does not linger either.
 */
final class Flusher {
    private final KafkaProducer<?, ?> producer;
    private final Semaphore wishes = new Semaphore(0);
    private volatile boolean ended;

    Flusher(KafkaProducer<?, ?> producer) {
        this.producer = producer;
        Thread thread = new Thread(this::flushWhenAsked, "postrider-kafka-flush");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns at once. Any thread. */
    void flush() {
        wishes.release();
    }

    /** Once the producer is closed nothing is waited for. Any thread. */
    void end() {
        ended = true;
        wishes.release();
    }

    private void flushWhenAsked() {
        while (true) {
            wishes.acquireUninterruptibly();
            wishes.drainPermits();
            if (ended) {
                return;
            }
            producer.flush();
        }
    }
}
