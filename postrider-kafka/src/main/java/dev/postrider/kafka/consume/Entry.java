package dev.postrider.kafka.consume;

import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A record that was read and is not yet done with, and what has become of it so far. Consumer's thread. */
final class Entry {
    private final ConsumerRecord<byte[], byte[]> record;
    private final Object lane;
    private final Origin origin;
    private final @Nullable ReceivedEvent event;

    private int attempts;
    private boolean triedInBatch;
    private boolean waiting;
    private long dueAt;
    private @Nullable Throwable givenUp;
    private boolean done;

    /**
     * @param takesAnything whether there is a handler for records that are no events; without one they are given up at once
     */
    Entry(ConsumerRecord<byte[], byte[]> record, boolean takesAnything) {
        this.record = record;
        this.lane = record.key() == null ? this : ByteBuffer.wrap(record.key());
        this.origin = CloudEventReader.origin(record);
        ReceivedEvent read = null;
        try {
            read = CloudEventReader.read(record);
        } catch (NotACloudEventException | RuntimeException e) {
            // Whatever it is: one record that cannot be read must not stop the others.
            this.givenUp = takesAnything ? null : e;
        }
        this.event = read;
    }

    ConsumerRecord<byte[], byte[]> record() {
        return record;
    }

    /** Records with equal lanes keep their order. Without a key a record has one to itself. */
    Object lane() {
        return lane;
    }

    Origin origin() {
        return origin;
    }

    /** Null if the record is no CloudEvent. */
    @Nullable
    ReceivedEvent event() {
        return event;
    }

    boolean isDue(long now) {
        return !waiting || now - dueAt >= 0;
    }

    boolean isWaiting() {
        return waiting;
    }

    long dueAt() {
        return dueAt;
    }

    void waitUntil(long time) {
        waiting = true;
        dueAt = time;
    }

    int attempts() {
        return attempts;
    }

    /** One more attempt has failed. */
    int countAttempt() {
        return ++attempts;
    }

    /** Whether it can be handed over together with others: it is an event, and nothing has gone wrong with it so far. */
    boolean fitsIntoBatch() {
        return event != null && attempts == 0 && !triedInBatch && givenUp == null;
    }

    void batchFailed() {
        triedInBatch = true;
    }

    /** Why it goes to the dead letter topic; null while there is hope. */
    @Nullable
    Throwable givenUp() {
        return givenUp;
    }

    void giveUp(Throwable reason) {
        givenUp = reason;
        waiting = false;
    }

    boolean isDone() {
        return done;
    }

    void done() {
        done = true;
        waiting = false;
    }
}
