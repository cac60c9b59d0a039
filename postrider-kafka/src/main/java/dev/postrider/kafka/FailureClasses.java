package dev.postrider.kafka;

import dev.postrider.publish.PublishResult;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;

/**
 * Whose fault a failure of Kafka's producer is. What stands in neither list counts as the event's, to
 * be tried again: so that nothing is retried for ever.
 */
final class FailureClasses {
    /** No later attempt of this event can end otherwise. */
    private static final List<Class<? extends Exception>> PERMANENT = List.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidRecordException.class,
            InvalidTopicException.class,
            SerializationException.class);

    /**
     * The destination's. Retriable ones are timeouts, missing leaders, too few replicas, lost
     * connections; an out-of-order sequence is the producer's own state, gone with the producer; a
     * transaction that can only be aborted, for no reason that lies in a record, is the coordinator's. A time that the
     * broker does not accept is that of the clock here: the event has none of its own, and another relay sends it.
     */
    private static final List<Class<? extends Exception>> UNAVAILABLE = List.of(
            RetriableException.class,
            AuthenticationException.class,
            AuthorizationException.class,
            OutOfOrderSequenceException.class,
            InvalidTimestampException.class,
            TransactionAbortableException.class,
            InvalidTxnStateException.class);

    /** Not about the record at all: someone else has taken over, the id was forgotten, or the transaction is undone. */
    private static final List<Class<? extends Exception>> END_OF_TRANSACTION = List.of(
            ProducerFencedException.class,
            InvalidProducerEpochException.class,
            InvalidPidMappingException.class,
            TransactionAbortedException.class);

    private FailureClasses() {}

    static PublishResult classify(Exception error) {
        String errorClass = error.getClass().getSimpleName();
        String reason = errorClass + ": " + error.getMessage();
        if (isOneOf(PERMANENT, error) && !isAboutTime(error)) {
            return new PublishResult.Rejected(errorClass, reason, true);
        }
        if (isOneOf(UNAVAILABLE, error) || isAboutTime(error)) {
            return new PublishResult.Unavailable(errorClass, reason);
        }
        return new PublishResult.Rejected(errorClass, reason, false);
    }

    /** As records of a batch are told of: the class of the batch's error is that of a single record only. */
    private static boolean isAboutTime(Exception error) {
        return error instanceof InvalidRecordException
                && String.valueOf(error.getMessage()).startsWith("Timestamp ");
    }

    /**
     * Whether a record failed only because others of its batch did. Kafka's producer says so with a plain exception, to
     * those before the bad one as well.
     */
    static boolean isConsequenceInBatch(Exception error) {
        return error.getClass() == KafkaException.class;
    }

    /** A producer being closed answers with plain exceptions that say nothing of the record itself. */
    static boolean isConsequenceOfClosing(Exception error) {
        return !(error instanceof ApiException)
                && (error instanceof KafkaException
                        || error instanceof InterruptException
                        || error instanceof IllegalStateException);
    }

    /**
     * Whether a record in a transaction failed because of something else. Plain exceptions are what Kafka gives to
     * records that were in one batch with a bad one, or came after one.
     */
    static boolean isConsequenceInTransaction(Exception error) {
        return isOneOf(END_OF_TRANSACTION, error)
                || (isConsequenceOfClosing(error) && !(error instanceof SerializationException));
    }

    static String rootMessage(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() != null ? root.getMessage() : root.getClass().getSimpleName();
    }

    private static boolean isOneOf(List<Class<? extends Exception>> classes, Exception error) {
        return classes.stream().anyMatch(one -> one.isInstance(error));
    }
}
