package dev.postrider.bench.lab;

import dev.postrider.bench.BenchException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;

/** A consumer as users have one, which notes when each event reached it for the first time. A thread of its own. */
public final class LiveConsumer implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final AtomicLongArray arrivals;
    private final AtomicLong received = new AtomicLong();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Thread thread;

    LiveConsumer(String bootstrapServers, String topic, int events) {
        this.consumer = Arrivals.consumer(bootstrapServers);
        this.arrivals = new AtomicLongArray(events);
        consumer.assign(Arrivals.partitions(topic));
        consumer.seekToBeginning(Arrivals.partitions(topic));
        this.thread = new Thread(this::run, "consumer");
        thread.start();
        try {
            ready.await();
        } catch (InterruptedException e) {
            throw Laboratory.interrupted(e);
        }
    }

    private void run() {
        try (consumer) {
            consumer.poll(Duration.ofMillis(100));
            ready.countDown();
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    int number = (int) Numbers.of(record.value());
                    if (arrivals.compareAndSet(number, 0, System.nanoTime())) {
                        received.incrementAndGet();
                    }
                }
            }
        } catch (WakeupException e) {
            // closed
        } catch (RuntimeException e) {
            failure.set(e);
        } finally {
            ready.countDown();
        }
    }

    /** Waits until so many events have arrived in all. */
    public void await(long count, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (received.get() < count) {
            if (failure.get() != null) {
                throw new BenchException("The consumer failed: " + failure.get(), failure.get());
            }
            if (System.nanoTime() > end) {
                throw new BenchException(received.get() + " of " + count + " events arrived within "
                        + patience.toSeconds() + " s after the last was written.");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                throw Laboratory.interrupted(e);
            }
        }
    }

    /** By {@link System#nanoTime()}. */
    public long arrival(int number) {
        return arrivals.get(number);
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
