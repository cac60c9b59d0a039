package dev.postrider.tests.kafka;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Ends the thread of a producer with an {@code Error} when something is acknowledged, as want of memory may. */
public final class FatalAcknowledgement implements ProducerInterceptor<byte[], byte[]> {
    private static final AtomicBoolean next = new AtomicBoolean();

    /** The next acknowledgement in this process is the last that its producer hears of. */
    static void strikeOnce() {
        next.set(true);
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
        if (next.compareAndSet(true, false)) {
            throw new OutOfMemoryError("by the test");
        }
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
        return record;
    }

    @Override
    public void configure(Map<String, ?> settings) {}

    @Override
    public void close() {}
}
