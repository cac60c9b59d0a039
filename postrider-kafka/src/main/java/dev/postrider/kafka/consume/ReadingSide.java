package dev.postrider.kafka.consume;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A member of the group: what it reads goes into {@link InHand}, and what is done there it commits. Consumer's thread, which
 * is also where the group takes partitions away and gives new ones: inside {@link #read}, never while something is handled.
 *
 * <p>A partition that is taken away is committed up to the first record that is not done, and the rest of what is in hand is
 * dropped: its next reader begins there, with all retries anew.
 */
final class ReadingSide implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofMillis(250);
    private static final Duration BUSY = Duration.ofMillis(5);
    private static final Duration NO_WAIT = Duration.ofMillis(50);
    private static final Duration NOT_COMMITTED = Duration.ofMillis(100);
    private static final long LAG_INTERVAL = Duration.ofSeconds(1).toNanos();

    /** What it takes to become a member. */
    record Opening(
            Map<String, Object> settings,
            List<String> topics,
            StartAt startAt,
            ConsumerListener listener,
            ConsumerLog log) {
        ReadingSide open(InHand inHand) {
            return new ReadingSide(this, inHand);
        }
    }

    private final KafkaConsumer<byte[], byte[]> kafka;
    private final InHand inHand;
    private final StartAt startAt;
    private final ConsumerListener listener;
    private final ConsumerLog log;

    /** Assigned, but the group does not know yet where they begin. */
    private final Set<TopicPartition> unbegun = new HashSet<>();

    private boolean uncommitted;
    private long lagTold = System.nanoTime() - LAG_INTERVAL;

    private ReadingSide(Opening opening, InHand inHand) {
        this.kafka = new KafkaConsumer<>(opening.settings());
        this.inHand = inHand;
        this.startAt = opening.startAt();
        this.listener = opening.listener();
        this.log = opening.log();
        kafka.subscribe(opening.topics(), new Rebalance());
    }

    private final class Rebalance implements ConsumerRebalanceListener {
        /** An exception from here ends this member, and the next one begins anew. */
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            inHand.assigned(partitions);
            Map<TopicPartition, OffsetAndMetadata> known =
                    new HashMap<>(kafka.committed(Set.copyOf(partitions), TIMEOUT));
            known.values().removeIf(offset -> offset == null);
            Set<TopicPartition> unknown = new HashSet<>(partitions);
            unknown.removeAll(known.keySet());
            if (!unknown.isEmpty()) {
                // To Kafka no partitions mean all of them.
                seekToStart(unknown);
                unbegun.addAll(unknown);
            }
            begin(known);
        }

        private void seekToStart(Set<TopicPartition> partitions) {
            if (startAt == StartAt.LATEST) {
                kafka.seekToEnd(partitions);
            } else {
                kafka.seekToBeginning(partitions);
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            Map<TopicPartition, OffsetAndMetadata> done = inHand.committable(partitions);
            if (!done.isEmpty()) {
                try {
                    kafka.commitSync(done, TIMEOUT);
                } catch (KafkaException e) {
                    log.notCommittedAtRelease(e);
                }
            }
            release(partitions);
        }

        /** They have another reader already, who may have committed: too late to say anything. */
        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            release(partitions);
        }

        private void release(Collection<TopicPartition> partitions) {
            inHand.drop(partitions);
            unbegun.removeAll(partitions);
            if (!partitions.isEmpty()) {
                listener.released(Set.copyOf(partitions));
            }
        }
    }

    /**
     * Polls, and takes what comes.
     *
     * @param idle whether nothing is ready to be handled
     */
    void read(boolean idle, boolean takesAnything) {
        boolean readNothing = !idle || uncommitted;
        pause(readNothing);
        try {
            inHand.take(kafka.poll(uncommitted ? NOT_COMMITTED : idle ? untilDue() : BUSY), takesAnything);
        } catch (OffsetOutOfRangeException e) {
            // Never at the end, as for a new group: between what is gone and the end may be records nobody has handled.
            log.placeIsGone(e.partitions());
            kafka.seekToBeginning(e.partitions());
        }
        commitBeginnings();
        tellLag();
    }

    private Duration untilDue() {
        OptionalLong due = inHand.nextDue();
        if (due.isEmpty()) {
            return IDLE;
        }
        long nanos = Math.max(0, due.getAsLong() - System.nanoTime());
        return nanos < IDLE.toNanos() ? Duration.ofNanos(nanos).plusMillis(1) : IDLE;
    }

    private void pause(boolean all) {
        Set<TopicPartition> wanted = all ? new HashSet<>(kafka.assignment()) : inHand.unfinished();
        Set<TopicPartition> resumed = new HashSet<>(kafka.paused());
        resumed.removeAll(wanted);
        wanted.removeAll(kafka.paused());
        wanted.retainAll(kafka.assignment());
        kafka.pause(wanted);
        kafka.resume(resumed);
    }

    /**
     * Commits where a group begins that has never committed anything. Otherwise a crash before the first commit would let it
     * begin anew, with {@link StartAt#LATEST} behind records that it had read and not handled.
     */
    private void commitBeginnings() {
        Map<TopicPartition, OffsetAndMetadata> beginnings = new HashMap<>();
        for (TopicPartition partition : unbegun) {
            beginningOf(partition).ifPresent(offset -> beginnings.put(partition, new OffsetAndMetadata(offset)));
        }
        if (beginnings.isEmpty()) {
            return;
        }
        try {
            kafka.commitSync(beginnings, TIMEOUT);
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException e) {
            log.notCommitted(e);
            return;
        }
        unbegun.removeAll(beginnings.keySet());
        begin(beginnings);
    }

    private void begin(Map<TopicPartition, OffsetAndMetadata> known) {
        inHand.committed(known);
        if (!known.isEmpty()) {
            listener.assigned(Set.copyOf(known.keySet()));
        }
    }

    private OptionalLong beginningOf(TopicPartition partition) {
        Long first = inHand.firstOf(partition);
        try {
            return OptionalLong.of(first != null ? first : kafka.position(partition, NO_WAIT));
        } catch (TimeoutException e) {
            // Polls find out; a partition without a leader may take its time, and must not cost the others theirs.
            return OptionalLong.empty();
        }
    }

    /** What is done, and nothing beyond it. What cannot be committed now is committed after the next poll, if it is still ours. */
    void commit() {
        Map<TopicPartition, OffsetAndMetadata> done = inHand.committable(inHand.partitions());
        uncommitted = !done.isEmpty();
        if (!uncommitted) {
            return;
        }
        try {
            kafka.commitSync(done, TIMEOUT);
            inHand.committed(done);
            uncommitted = false;
        } catch (RebalanceInProgressException e) {
            // The next poll takes part in it; that is all there is to it.
        } catch (CommitFailedException | RetriableException e) {
            log.notCommitted(e);
        }
    }

    private void tellLag() {
        if (System.nanoTime() - lagTold < LAG_INTERVAL) {
            return;
        }
        lagTold = System.nanoTime();
        Map<TopicPartition, Long> lag = new HashMap<>();
        for (TopicPartition partition : kafka.assignment()) {
            kafka.currentLag(partition).ifPresent(unread -> lag.put(partition, unread + inHand.behind(partition)));
        }
        listener.lag(lag);
    }

    /** Leaves the group, after a last commit. */
    @Override
    public void close() {
        kafka.close(CloseOptions.timeout(TIMEOUT));
    }
}
