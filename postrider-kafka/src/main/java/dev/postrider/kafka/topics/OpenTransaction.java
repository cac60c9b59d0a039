package dev.postrider.kafka.topics;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that has begun in a partition and not ended there. Consumers that read committed records see nothing
 * after its first record.
 *
 * @param startOffset of its first record in this partition
 * @param coordinatorEpoch of the coordinator that last ended a transaction of this producer here; -1 if there was none
 * @param lastWritten when the producer last wrote into this partition, by the clock that stamps records
 * @param coordinated what its coordinator knows about the producer; null if nothing, or nothing that we may see
 * @param isHanging whether nobody will ever end it
 */
public record OpenTransaction(
        TopicPartition partition,
        long startOffset,
        long producerId,
        int producerEpoch,
        int coordinatorEpoch,
        Instant lastWritten,
        @Nullable Coordinated coordinated,
        boolean isHanging) {

    /**
     * What a coordinator knows.
     *
     * @param includesPartition whether its open transaction includes this partition
     * @param timeout after which the coordinator ends the transaction
     * @param since when it began; null if none is open
     */
    public record Coordinated(
            String transactionalId,
            TransactionState state,
            int producerEpoch,
            boolean includesPartition,
            Duration timeout,
            @Nullable Instant since) {

        boolean willEnd(int epoch) {
            boolean ending = state == TransactionState.PREPARE_ABORT
                    || state == TransactionState.PREPARE_COMMIT
                    || state == TransactionState.PREPARE_EPOCH_FENCE;
            // What is being ended is ended under a later epoch.
            return includesPartition && (ending || state == TransactionState.ONGOING && producerEpoch == epoch);
        }
    }

    /**
     * With what its coordinator says.
     *
     * @param known null if it says nothing
     * @param longest that any transaction may last; only after that is silence a proof, since we may not see everything
     */
    OpenTransaction with(@Nullable Coordinated known, Duration longest, Instant now) {
        boolean hangs = known == null
                ? Duration.between(lastWritten, now).compareTo(longest) > 0
                : !known.willEnd(producerEpoch);
        return new OpenTransaction(
                partition, startOffset, producerId, producerEpoch, coordinatorEpoch, lastWritten, known, hangs);
    }

    /** How long it has been open, as far as is known. */
    public Duration openFor(Instant now) {
        Instant since = Optional.ofNullable(coordinated)
                .filter(known -> !isHanging)
                .map(Coordinated::since)
                .orElse(lastWritten);
        Duration age = Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Whether both are the same transaction. */
    boolean isSameAs(OpenTransaction other) {
        return partition.equals(other.partition) && producerId == other.producerId && startOffset == other.startOffset;
    }
}
