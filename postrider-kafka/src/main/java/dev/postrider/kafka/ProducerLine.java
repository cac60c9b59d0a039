package dev.postrider.kafka;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * One producer from its first record to its first failure. The relay's thread sends, the producer's
 * thread answers.
 */
final class ProducerLine {
    /** Much less than brokers' {@code producer.id.expiration.ms}, a day by default. */
    private static final long MEMORY_OF_BROKERS = Duration.ofMinutes(10).toNanos();

    private final KafkaProducer<byte[], byte[]> producer;
    private final Unanswered unanswered;
    private final Flusher flusher;
    private final AtomicBoolean stopped = new AtomicBoolean();

    /** Where the broker has accepted something of this producer, and when. */
    private final Map<TopicPartition, Long> acceptedAt = new ConcurrentHashMap<>();

    private volatile boolean givenUp;

    /**
     * @param deliveryTimeout the producer's own
     */
    ProducerLine(Map<String, Object> settings, Duration deliveryTimeout) {
        this.unanswered = new Unanswered(deliveryTimeout);
        this.producer = new KafkaProducer<>(settings);
        this.flusher = new Flusher(producer);
    }

    void lingerNoLonger() {
        flusher.flush();
    }

    boolean isStopped() {
        return stopped.get();
    }

    CompletableFuture<PublishResult> send(ProducerRecord<byte[], byte[]> record) {
        CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        if (stopped.get()) {
            answer.complete(new PublishResult.Unresolved());
            return answer;
        }
        Thread sender = Thread.currentThread();
        try {
            producer.send(record, (metadata, error) -> {
                if (error == null) {
                    acceptedAt.put(new TopicPartition(metadata.topic(), metadata.partition()), System.nanoTime());
                }
                boolean local = Thread.currentThread() == sender;
                answered(answer, error, local);
                if (!local) {
                    unanswered.answered(answer);
                }
            });
        } catch (RuntimeException e) {
            // Not every failure goes through the callback; closing in mid-send does not.
            answered(answer, e, true);
        }
        unanswered.sent(answer);
        return answer;
    }

    /** What the producer does not answer any more is answered here. Relay's thread. */
    void giveUpIfLate() {
        if (unanswered.areLate()) {
            givenUp = true;
            stop();
            unanswered.answerAll(this::notAnswered);
        }
    }

    /**
     * Whether the broker knows this producer in the key's partition. Where it does not, because this
     * would be the first record or the last was so long ago that it may have forgotten, it accepts a
     * record that follows a failed one: it has no sequence to miss that one in.
     */
    boolean isKnownAt(String topic, byte[] key) {
        try {
            int partitions = producer.partitionsFor(topic).size();
            int partition = Utils.toPositive(Utils.murmur2(key)) % partitions;
            Long last = acceptedAt.get(new TopicPartition(topic, partition));
            return last != null && System.nanoTime() - last < MEMORY_OF_BROKERS;
        } catch (KafkaException | IllegalStateException e) {
            // Closed meanwhile, or the topic cannot be looked up: then one at a time.
            return false;
        }
    }

    /**
     * @param atOnce the record never entered the pipeline: if it is its own fault, nothing else is affected
     */
    private void answered(CompletableFuture<PublishResult> answer, @Nullable Exception error, boolean atOnce) {
        if (error == null) {
            answer.complete(new PublishResult.Accepted());
            return;
        }
        if (stopped.get() && FailureClasses.isConsequenceOfClosing(error)) {
            answer.complete(givenUp ? notAnswered() : new PublishResult.Unresolved());
            return;
        }
        PublishResult result = FailureClasses.classify(error);
        boolean ownFault = result instanceof PublishResult.Rejected;
        if (!(atOnce && ownFault)) {
            // Before the answer is known to anyone, nothing later may be sent.
            stop();
        }
        answer.complete(result);
    }

    private PublishResult notAnswered() {
        return new PublishResult.Unavailable(
                "NoAnswer",
                "Kafka's producer has not answered within "
                        + unanswered.patience().toSeconds()
                        + " s, which is more than its delivery timeout: no broker gives it an id (look whether a majority"
                        + " of Kafka's controllers is up), or its thread has died.");
    }

    /** Sends nothing more; what is in flight is answered as unresolved. Any thread, also the producer's own. */
    void stop() {
        if (stopped.compareAndSet(false, true)) {
            try {
                producer.close(Duration.ZERO);
            } catch (KafkaException e) {
                // It is closed all the same; this is about waiting for its thread, or its metrics.
            }
            flusher.end();
        }
    }
}
