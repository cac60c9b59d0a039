package dev.postrider.kafka.redrive;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Sends many records at a time, so that none of a key is accepted once an earlier one of the key has failed:
 *
 * <ol>
 *   <li>The producer is closed in the callback of the first failure, before anything else is sent, and nothing is sent after it.
 *   <li>What is on the wire then is refused by the broker, because a sequence number is missing before it; but only if the
 *       broker knows the producer in that partition. So a key's second record waits until its first is acknowledged, and then
 *       the others follow without waiting.
 * </ol>
 *
 * The run's thread sends, the producer's thread answers.
 */
final class OrderedSends implements AutoCloseable {
    private static final int MOST_IN_FLIGHT = 2_000;
    private static final long MOST_BYTES_IN_FLIGHT = 16L * 1024 * 1024;
    private static final int MOST_LANES = 100_000;

    /** Much less than brokers' {@code producer.id.expiration.ms}, a day by default. */
    private static final long MEMORY_OF_BROKERS = Duration.ofMinutes(10).toNanos();

    private static final long PAUSE_MILLIS = 100;
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final long LAST_ANSWERS = Duration.ofSeconds(10).toNanos();

    /** Where a key's records go; those without a key have no order. */
    private record LaneName(String topic, ByteBuffer key) {}

    private static final class Lane {
        private int inFlight;
        private boolean accepted;
        private long acceptedAt;

        private boolean mayFollow() {
            return inFlight == 0 || (accepted && System.nanoTime() - acceptedAt < MEMORY_OF_BROKERS);
        }
    }

    private final KafkaProducer<byte[], byte[]> producer;
    private final long patience;
    private final BooleanSupplier stop;
    private final Map<LaneName, Lane> lanes = new HashMap<>();
    private int inFlight;
    private long bytesInFlight;
    private long acknowledged;
    private long lastAnswer = System.nanoTime();
    private @Nullable String failure;

    OrderedSends(ClientSettings settings, BooleanSupplier stop) {
        this.producer = new KafkaProducer<>(settings.producer());
        this.patience = settings.deliveryTimeout().plus(GRACE).toNanos();
        this.stop = stop;
    }

    /**
     * Waits until the record may be sent, and sends it.
     *
     * @param acknowledge called when the brokers have it
     * @return whether it was sent; not if a record has failed, or the run shall stop
     */
    boolean send(DeadLetter letter, ProducerRecord<byte[], byte[]> record, Runnable acknowledge)
            throws InterruptedException {
        LaneName name = record.key() == null ? null : new LaneName(record.topic(), ByteBuffer.wrap(record.key()));
        int size = letter.size();
        synchronized (this) {
            Lane lane = name == null ? new Lane() : lanes.computeIfAbsent(name, any -> new Lane());
            while (mayGoOn() && (isFull(size) || !lane.mayFollow())) {
                wait(PAUSE_MILLIS);
                giveUpIfSilent();
            }
            if (!mayGoOn()) {
                return false;
            }
            if (inFlight == 0) {
                lastAnswer = System.nanoTime();
            }
            lane.inFlight++;
            inFlight++;
            bytesInFlight += size;
            // Somebody else's answer may have removed it meanwhile.
            if (name != null) {
                lanes.putIfAbsent(name, lane);
            }
        }
        try {
            producer.send(record, (metadata, error) -> answered(letter, name, size, error, acknowledge));
        } catch (KafkaException | IllegalStateException e) {
            // Not every failure goes through the callback: not that of a producer which was just closed.
            answered(letter, name, size, e, acknowledge);
        }
        return isGoing();
    }

    private boolean isFull(int size) {
        return inFlight >= MOST_IN_FLIGHT || (inFlight > 0 && bytesInFlight + size > MOST_BYTES_IN_FLIGHT);
    }

    private synchronized boolean isGoing() {
        return failure == null;
    }

    /** Waits until everything that was sent is answered; not for long if the run shall stop. */
    synchronized void awaitAll() throws InterruptedException {
        long start = System.nanoTime();
        while (failure == null && inFlight > 0) {
            if (stop.getAsBoolean() && System.nanoTime() - start > LAST_ANSWERS) {
                return;
            }
            wait(PAUSE_MILLIS);
            giveUpIfSilent();
        }
    }

    private boolean mayGoOn() {
        return failure == null && !stop.getAsBoolean();
    }

    /**
     * A producer that gets no id from the brokers ignores its own delivery timeout. It is not closed here: that would wait for
     * its thread, which may be waiting for this monitor.
     */
    private void giveUpIfSilent() {
        if (failure == null && inFlight > 0 && System.nanoTime() - lastAnswer > patience) {
            failure = "the brokers have not answered for "
                    + Duration.ofNanos(patience).toSeconds() + " s";
        }
    }

    private void answered(
            DeadLetter letter, @Nullable LaneName name, int size, @Nullable Exception error, Runnable acknowledge) {
        boolean first = false;
        synchronized (this) {
            lastAnswer = System.nanoTime();
            inFlight--;
            bytesInFlight -= size;
            if (error == null) {
                acknowledged++;
                acknowledge.run();
            } else if (failure == null) {
                failure = "record " + letter.place() + " was not accepted: "
                        + error.getClass().getSimpleName() + ": " + error.getMessage();
                first = true;
            }
            leave(name, error == null);
            notifyAll();
        }
        if (first) {
            // By the producer's own thread, before it does anything else; it does not wait for itself.
            producer.close(Duration.ZERO);
        }
    }

    private void leave(@Nullable LaneName name, boolean accepted) {
        Lane lane = name == null ? null : lanes.get(name);
        if (lane == null) {
            return;
        }
        lane.inFlight--;
        if (accepted) {
            lane.accepted = true;
            lane.acceptedAt = System.nanoTime();
        }
        if (lane.inFlight == 0 && lanes.size() > MOST_LANES) {
            lanes.remove(name);
        }
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    /** Why nothing more is sent, if that is so. */
    synchronized @Nullable String failure() {
        return failure;
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
    }
}
