package dev.postrider.kafka;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One producer from its first record to its first failure. The relay's thread sends, the producer's
 * thread answers.
 */
final class ProducerPipeline {
    /** Much less than brokers' {@code producer.id.expiration.ms}, a day by default. */
    private static final long MEMORY_OF_BROKERS = Duration.ofMinutes(10).toNanos();

    private final KafkaProducer<byte[], byte[]> producer;
    private final Unanswered unanswered;
    private final KnownTopics topics;
    private final Silence silence;
    private final Flusher flusher;
    private final AtomicBoolean stopped = new AtomicBoolean();

    /** Where the broker has accepted something of this producer, and when. */
    private final Map<TopicPartition, Long> acceptedAt = new ConcurrentHashMap<>();

    private final Set<String> topicsAccepted = ConcurrentHashMap.newKeySet();

    private volatile boolean givenUp;

    /**
     * @param deliveryTimeout the producer's own
     */
    ProducerPipeline(Map<String, Object> settings, Duration deliveryTimeout, KnownTopics topics) {
        this.topics = topics;
        this.unanswered = new Unanswered(deliveryTimeout);
        this.silence = Silence.ofProducer(topics, System::nanoTime);
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
        TopicPartition partition = topics.partitionOf(record.topic(), record.key());
        silence.sent(partition);
        try {
            producer.send(record, (metadata, error) -> {
                silence.answered(partition);
                if (error == null) {
                    topicsAccepted.add(metadata.topic());
                    acceptedAt.put(new TopicPartition(metadata.topic(), metadata.partition()), System.nanoTime());
                }
                boolean local = Thread.currentThread() == sender;
                answered(record, answer, error, local);
                if (!local) {
                    unanswered.answered(answer);
                }
            });
        } catch (RuntimeException e) {
            // Not every failure goes through the callback; closing in mid-send does not.
            silence.answered(partition);
            answered(record, answer, e, true);
        }
        unanswered.sent(answer);
        return answer;
    }

    /** What the producer does not answer any more is answered here. Relay's thread. */
    void giveUpIfLate() {
        silence.look();
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
        if (!topicsAccepted.contains(topic)) {
            return false;
        }
        try {
            // Of the producer itself, which decides where the event goes; it knows a topic that it has written.
            int partitions = producer.partitionsFor(topic).size();
            int partition = KnownTopics.partitionOf(key, partitions);
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
    private void answered(
            ProducerRecord<byte[], byte[]> record,
            CompletableFuture<PublishResult> answer,
            @Nullable Exception error,
            boolean atOnce) {
        if (error == null) {
            answer.complete(new PublishResult.Accepted());
            return;
        }
        if (stopped.get() && FailureClasses.isConsequenceOfClosing(error)) {
            answer.complete(givenUp ? notAnswered() : new PublishResult.Unresolved());
            return;
        }
        if (!atOnce && FailureClasses.isConsequenceInBatch(error)) {
            stop();
            answer.complete(new PublishResult.Unresolved());
            return;
        }
        PublishResult result = topics.failed(record, error);
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
            silence.end();
        }
    }
}
