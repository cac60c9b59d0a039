package dev.postrider.internal.spring.listener;

import dev.postrider.failure.Backoff;
import dev.postrider.internal.spring.listener.Troubles.Trouble;
import dev.postrider.kafka.consume.DeadLetterTopics;
import dev.postrider.kafka.consume.NotACloudEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What a container calls with the records of a poll, whether the method takes them one at a time or together. It goes through
 * them in their order:
 *
 * <ol>
 *   <li>A method that takes batches gets all of them that are fresh. If that fails, it gets each of these alone.
 *   <li>A record that fails alone is tried again after a while, and goes to the dead letter topic after the last retry. Until
 *       then it and everything after it is not committed and comes once more: the container is told to wait, and stays a
 *       member of its group.
 *   <li>What was gone through is committed.
 * </ol>
 *
 * <p>The rules and the records in dead letter topics are those of {@code KafkaEventConsumer}. Threads of the containers.
 */
final class EventsListener implements BatchAcknowledgingConsumerAwareMessageListener<byte[], byte[]> {
    private static final Logger log = LoggerFactory.getLogger(EventsListener.class);

    /** How long what is down is left alone: the method's database, the dead letter topics. */
    private static final Backoff LEFT_ALONE =
            new Backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(30), 0.1, Integer.MAX_VALUE);

    private final String name;
    private final MethodCalls calls;
    private final Backoff retry;
    private final DeadLetterTopics deadLetters;
    private final BooleanSupplier running;

    private final Troubles troubles = new Troubles();

    /** In a row. */
    private final AtomicInteger outages = new AtomicInteger();

    private final AtomicInteger refusals = new AtomicInteger();

    EventsListener(
            String name, MethodCalls calls, Backoff retry, DeadLetterTopics deadLetters, BooleanSupplier running) {
        this.name = name;
        this.calls = calls;
        this.retry = retry;
        this.deadLetters = deadLetters;
        this.running = running;
    }

    @Override
    public void onMessage(
            List<ConsumerRecord<byte[], byte[]>> records,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer) {
        Acknowledgment container = Objects.requireNonNull(acknowledgment, "the container's mode is manual");
        int next = 0;
        int aloneUntil = 0;
        while (next < records.size()) {
            if (!running.getAsBoolean()) {
                container.nack(next, Duration.ZERO);
                return;
            }
            List<EventRecord> batch = calls.takesBatches() && next >= aloneUntil ? freshFrom(records, next) : List.of();
            // One alone is no batch: its failure would be its own, and is counted.
            Duration wait;
            if (batch.size() > 1) {
                Outcome outcome = calls.call(batch, consumer);
                if (outcome instanceof Outcome.Failed failed) {
                    aloneUntil = next + batch.size();
                    log.warn(
                            "[{}] a batch of {} records failed, each is tried alone: {}",
                            name,
                            batch.size(),
                            failed.error().toString());
                    continue;
                }
                wait = waitAfter(outcome);
                next += wait == null ? batch.size() : 0;
            } else {
                wait = alone(records.get(next), consumer);
                next += wait == null ? 1 : 0;
            }
            if (wait != null) {
                container.nack(next, wait);
                return;
            }
        }
        container.acknowledge();
    }

    /** Those from there on that can be handled together: they can be read, and nothing has gone wrong with them. */
    private List<EventRecord> freshFrom(List<ConsumerRecord<byte[], byte[]>> records, int from) {
        List<EventRecord> fresh = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records.subList(from, records.size())) {
            if (troubles.of(record) != null) {
                break;
            }
            try {
                fresh.add(EventRecord.read(record));
            } catch (NotACloudEventException | RuntimeException e) {
                // Told when it is its turn.
                break;
            }
        }
        return fresh;
    }

    /** Null if it is done with; otherwise how long it has to wait. */
    private @Nullable Duration alone(ConsumerRecord<byte[], byte[]> record, @Nullable Consumer<?, ?> consumer) {
        Trouble trouble = troubles.of(record);
        if (trouble != null && trouble.givenUp() != null) {
            return bury(record, trouble.givenUp(), trouble.attempts());
        }
        EventRecord read;
        try {
            read = EventRecord.read(record);
        } catch (NotACloudEventException | RuntimeException e) {
            // Whatever it is: one record that cannot be read must not stop the others.
            return bury(record, e, 0);
        }
        Outcome outcome = calls.call(List.of(read), consumer);
        if (!(outcome instanceof Outcome.Failed failed)) {
            Duration wait = waitAfter(outcome);
            if (wait == null) {
                troubles.isOver(record);
            }
            return wait;
        }
        outages.set(0);
        if (failed.unreadable()) {
            return bury(record, failed.error(), 0);
        }
        int attempt = trouble == null ? 1 : trouble.attempts() + 1;
        if (attempt > retry.maxRetries()) {
            return bury(record, failed.error(), attempt);
        }
        Duration delay = retry.delayBefore(attempt);
        troubles.put(record, attempt, null);
        log.warn(
                "[{}] attempt {} of event {} at {} failed, next in {}: {}",
                name,
                attempt,
                read.event().id(),
                read.event().origin(),
                delay,
                failed.error().toString());
        log.debug("[{}] attempt {} failed", name, attempt, failed.error());
        return delay;
    }

    private @Nullable Duration waitAfter(Outcome outcome) {
        if (outcome instanceof Outcome.Outage outage) {
            Duration delay = LEFT_ALONE.delayBefore(outages.incrementAndGet());
            log.warn(
                    "[{}] what the listener needs is down; no attempt is counted, next try in {}: {}",
                    name,
                    delay,
                    outage.error().toString());
            return delay;
        }
        outages.set(0);
        return outcome instanceof Outcome.NotNow notNow ? notNow.later() : null;
    }

    /** The record is done with only when the dead letter topic has it. */
    private @Nullable Duration bury(ConsumerRecord<byte[], byte[]> record, Throwable reason, int attempts) {
        String place = record.topic() + "-" + record.partition() + "@" + record.offset();
        String topic = deadLetters.topicOf(record.topic());
        troubles.put(record, attempts, reason);
        try {
            deadLetters.write(record, reason, attempts);
        } catch (KafkaException e) {
            Duration delay = LEFT_ALONE.delayBefore(refusals.incrementAndGet());
            log.error(
                    "[{}] {} does not take {}, which was given up: {}. Nothing of that partition is committed from there on; next"
                            + " try in {}. See that the topic exists, that this user may write to it, and that its max.message.bytes is"
                            + " large enough.",
                    name,
                    topic,
                    place,
                    e.toString(),
                    delay);
            return delay;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Duration.ZERO;
        }
        refusals.set(0);
        troubles.isOver(record);
        log.warn(
                "[{}] {} was given up after {} attempts and is in {}: {}",
                name,
                place,
                attempts,
                topic,
                reason.toString());
        return null;
    }
}
