package dev.postrider.kafka;

import dev.postrider.internal.lifecycle.Service;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * Ends a producer's lingering. A flush waits until everything is answered, which the relay's thread must not, so it has
 * a thread of its own. What is sent while a flush waits does not linger either.
 */
final class Flusher {
    private static final long IDLE = Duration.ofHours(1).toNanos();

    private final KafkaProducer<?, ?> producer;
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final Service service;

    Flusher(KafkaProducer<?, ?> producer) {
        this.producer = producer;
        this.service = Service.named("postrider-kafka-flush").doing(this::flushIfAsked);
        service.start();
    }

    /** Returns at once. Any thread. */
    void flush() {
        wanted.set(true);
        service.wake();
    }

    /** Once the producer is closed nothing is waited for. Any thread. */
    void end() {
        service.askToStop();
    }

    private long flushIfAsked() {
        if (wanted.getAndSet(false)) {
            producer.flush();
        }
        return wanted.get() ? 0 : IDLE;
    }
}
