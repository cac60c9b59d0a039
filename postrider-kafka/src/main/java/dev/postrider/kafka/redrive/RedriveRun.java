package dev.postrider.kafka.redrive;

import dev.postrider.PostriderException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * One run, in steps:
 *
 * <ol>
 *   <li>Become the only member of the group, and record where the run starts: so that it is known before the first record is
 *       sent that progress can be recorded.
 *   <li>Read, send what matches, and every second record how far everything is acknowledged.
 *   <li>At the end, wait for what is on its way and record that too.
 * </ol>
 *
 * One thread.
 */
final class RedriveRun implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration COMMITTING = Duration.ofSeconds(10);
    private static final Duration JOINING = Duration.ofSeconds(60);
    private static final long BETWEEN_COMMITS = Duration.ofSeconds(1).toNanos();

    private final RedriveRequest request;
    private final DeadLetterLog log;
    private final Instant time;
    private final ClientSettings settings;
    private final Extent extent;
    private final Positions positions;
    private final KafkaConsumer<byte[], byte[]> member;

    private @Nullable Set<TopicPartition> assigned;
    private boolean lost;
    private long sent;
    private long committedAt;
    private @Nullable String failure;

    RedriveRun(RedrivePlan plan, DeadLetterLog log, ClientSettings settings, Instant time) {
        this.request = plan.request();
        this.log = log;
        this.time = time;
        this.settings = settings;
        if (!log.partitions().equals(plan.ends().keySet())) {
            throw new PostriderException("The partitions of " + log.topic() + " have changed. Do it again.");
        }
        Map<TopicPartition, Long> starts = new HashMap<>();
        log.partitions()
                .forEach(partition ->
                        starts.put(partition, log.sentBefore(partition, request).positionOf(request)));
        this.extent = new Extent(starts, plan.ends());
        this.positions = new Positions(starts);
        this.member = new KafkaConsumer<>(settings.member(Redrive.groupOf(log.topic())));
    }

    RedriveReport run(BooleanSupplier stop, Consumer<RedriveProgress> progress) throws InterruptedException {
        if (!join(stop)) {
            return new RedriveReport(0, false, null);
        }
        commit(false);
        boolean finished = false;
        try (OrderedSends sends = new OrderedSends(settings, stop)) {
            try {
                finished = sendAll(sends, stop, progress);
            } catch (KafkaException e) {
                failure = Brokers.explain("the dead letter topic cannot be read", e)
                        .getMessage();
            }
            sends.awaitAll();
            failure = failure == null ? sends.failure() : failure;
            recordTheRest();
            progress.accept(extent.progress(positions::of, sends.acknowledged()));
            return new RedriveReport(sends.acknowledged(), finished && failure == null, failure);
        }
    }

    /**
     * @return whether to go on
     */
    private boolean join(BooleanSupplier stop) {
        member.subscribe(Set.of(log.topic()), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                assigned = Set.copyOf(partitions);
                partitions.forEach(partition -> member.seek(partition, extent.start(partition)));
                member.pause(partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                lost |= !partitions.isEmpty();
            }
        });
        long start = System.nanoTime();
        while (assigned == null && !stop.getAsBoolean()) {
            member.poll(POLL);
            if (System.nanoTime() - start > JOINING.toNanos()) {
                throw new PostriderException("The brokers do not let this process join the group "
                        + Redrive.groupOf(log.topic()) + " within " + JOINING.toSeconds() + " s; nothing was sent.");
            }
        }
        if (assigned != null && !assigned.equals(extent.ends().keySet())) {
            throw new PostriderException("Somebody else has begun to redrive " + log.topic()
                    + " at the same moment, or its partitions have changed. Do it again; nothing was sent.");
        }
        member.resume(member.assignment());
        return assigned != null;
    }

    /**
     * @return whether everything was sent that the plan has
     */
    private boolean sendAll(OrderedSends sends, BooleanSupplier stop, Consumer<RedriveProgress> progress)
            throws InterruptedException {
        while (true) {
            if (lost) {
                failure = "another process has joined the group " + Redrive.groupOf(log.topic())
                        + "; one redrive of a topic runs at a time";
                return false;
            }
            if (stop.getAsBoolean() || sends.failure() != null) {
                return false;
            }
            if (sent >= request.limit() || extent.isRead(member::position)) {
                return true;
            }
            for (ConsumerRecord<byte[], byte[]> record : member.poll(POLL)) {
                if (!lost && sent < request.limit() && !take(record, sends)) {
                    return false;
                }
            }
            if (sent < request.limit() && !lost) {
                extent.ends()
                        .forEach((partition, end) ->
                                positions.readUpTo(partition, Math.min(end, member.position(partition))));
            }
            if (!lost && System.nanoTime() - committedAt > BETWEEN_COMMITS) {
                commit(true);
                progress.accept(extent.progress(positions::of, sends.acknowledged()));
            }
        }
    }

    /**
     * @return false if nothing more can be sent
     */
    private boolean take(ConsumerRecord<byte[], byte[]> record, OrderedSends sends) throws InterruptedException {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        if (record.offset() >= extent.end(partition)) {
            return true;
        }
        DeadLetter letter = new DeadLetter(record);
        String destination = request.filter().matches(letter) ? request.destination(letter) : null;
        if (destination == null || log.sentBefore(partition, request).has(letter, destination)) {
            positions.skip(partition, record.offset());
            return true;
        }
        Positions.Pending pending = positions.send(partition, record.offset());
        sent++;
        return sends.send(letter, letter.sentBack(destination, time), pending::done);
    }

    /** Behind what is acknowledged. With all that was known before, so that nobody's progress is lost. */
    private void commit(boolean forgiving) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        log.partitions().forEach(partition -> {
            SentBefore now = log.sentBefore(partition, request).with(request, positions.of(partition));
            offsets.put(partition, new OffsetAndMetadata(now.offset(), now.text(log.topicId())));
        });
        try {
            member.commitSync(offsets, COMMITTING);
            committedAt = System.nanoTime();
        } catch (CommitFailedException | RebalanceInProgressException e) {
            lost = true;
        } catch (RetriableException e) {
            // In an outage the run waits for the producer, and its progress can be recorded afterwards.
            if (!forgiving) {
                throw e;
            }
        }
    }

    private void recordTheRest() {
        try {
            if (!lost) {
                commit(false);
            }
        } catch (KafkaException e) {
            String note =
                    "the progress could not be recorded, so that some records will be sent again by the next run: "
                            + Brokers.rootMessage(e);
            failure = failure == null ? note : failure + "; and " + note;
        }
    }

    @Override
    public void close() {
        member.close(CloseOptions.timeout(COMMITTING));
    }
}
