package dev.postrider.kafka;

import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One transactional producer from taking over to the first thing that cannot be undone. The relay's thread calls it,
 * the producer's thread answers, and any thread may {@link #end} it.
 *
 * <p>Nothing is stopped at the first failure, unlike in {@link ProducerPipeline}: what is accepted after it is undone with
 * everything else, because a transaction in which something failed is never committed.
 */
final class TransactionalProducer {
    private final KafkaProducer<byte[], byte[]> producer;
    private final Flusher flusher;
    private final Unanswered unanswered;
    private final KnownTopics topics;
    private final Silence silence;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Supplier<Object> connectionsClosed;

    /** Null until the position is known, see {@link #mindful}. Relay's thread only, as the next three. */
    private @Nullable Leftovers leftovers;

    /** When it was last known that nothing of this shard is left open. */
    private Object closedThen = 0;

    /** What was committed last; null if nothing was. */
    private @Nullable Commit lastCommit;

    /** The open transaction, if there is one. */
    private @Nullable Transaction transaction;

    /**
     * @param silence of all producers of the shard
     */
    TransactionalProducer(Map<String, Object> settings, KnownTopics topics, Silence silence) {
        this.topics = topics;
        this.silence = silence;
        this.producer = new KafkaProducer<>(settings);
        this.flusher = new Flusher(producer);
        this.connectionsClosed = producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("connection-close-total")
                        && metric.metricName().group().equals("producer-metrics"))
                .findFirst()
                .<Supplier<Object>>map(metric -> metric::metricValue)
                .orElseThrow();
        this.unanswered = new Unanswered(ProducerSettings.deliveryTimeout(ProducerSettings.parse(settings)));
    }

    void lingerNoLonger() {
        flusher.flush();
    }

    /**
     * Ends what an earlier producer of the same transactional id left open, and shuts that one out. When this returns,
     * every transaction of the id is complete: committed or aborted, with its marks in every partition that had a leader; for the others see
     * {@link Leftovers}.
     *
     * @throws RuntimeException Kafka's, if that could not be done in time
     */
    void shutOutEarlierOnes() {
        producer.initTransactions();
    }

    /** From now on nothing is sent to a topic before it is known that no earlier transaction is open in it. */
    void mindful(Leftovers leftovers) {
        this.leftovers = leftovers;
        this.closedThen = connectionsClosed.get();
    }

    /** Complete as soon as it is known what earlier transactions have left open in a topic. */
    CompletionStage<?> ready(String topic) {
        return leftovers == null ? CompletableFuture.completedFuture(null) : leftovers.lookedAt(topic);
    }

    /** Why an event cannot be sent now; null if it can. */
    private @Nullable PublishResult obstacle(Leftovers.Found found) {
        if (found == Leftovers.Found.UNKNOWN) {
            return new PublishResult.Unavailable(
                    "NoAnswer", "It could not be found out whether an earlier transaction is still open there.");
        }
        if (found == Leftovers.Found.HANGING && lastCommit != null) {
            // It may be one that was said to be committed. Whoever takes over finds out.
            end();
            return new PublishResult.Unresolved();
        }
        return null;
    }

    /** A connection that was lost may mean that a broker was, with what it had to do for the last transaction. */
    private Leftovers.Found leftIn(@Nullable TopicPartition partition) {
        if (leftovers == null || partition == null) {
            return Leftovers.Found.NOTHING;
        }
        Object closed = connectionsClosed.get();
        if (transaction == null && !closed.equals(closedThen)) {
            closedThen = closed;
            leftovers.lookAgain();
        }
        return leftovers.in(partition);
    }

    CompletableFuture<PublishResult> send(ProducerRecord<byte[], byte[]> record) {
        CompletableFuture<PublishResult> answer = new CompletableFuture<>();
        if (ended.get()) {
            answer.complete(new PublishResult.Unresolved());
            return answer;
        }
        TopicPartition partition = topics.partitionOf(record.topic(), record.key());
        Leftovers.Found found = leftIn(partition);
        PublishResult obstacle = obstacle(found);
        if (obstacle != null) {
            answer.complete(obstacle);
            return answer;
        }
        Transaction current = transaction;
        try {
            if (current == null) {
                current = begin();
            }
            if (current.hasFailed()) {
                answer.complete(new PublishResult.Unresolved());
            } else {
                if (found == Leftovers.Found.HANGING) {
                    current.undoInTheEnd();
                }
                send(record, partition, current, answer);
            }
        } catch (RuntimeException e) {
            answer.complete(current == null ? new PublishResult.Unresolved() : current.judge(record, e));
        }
        return answer;
    }

    private Transaction begin() {
        producer.beginTransaction();
        Transaction begun = new Transaction();
        transaction = begun;
        return begun;
    }

    private void send(
            ProducerRecord<byte[], byte[]> record,
            @Nullable TopicPartition partition,
            Transaction current,
            CompletableFuture<PublishResult> answer) {
        current.sending();
        // What the transaction knows comes before what the relay is told: it may want to commit at once.
        Thread sender = Thread.currentThread();
        silence.sent(partition);
        try {
            producer.send(record, (metadata, error) -> {
                note(partition, error);
                answer.complete(error == null ? current.accept(metadata) : current.judge(record, error));
                if (Thread.currentThread() != sender) {
                    unanswered.answered(answer);
                }
            });
        } catch (RuntimeException e) {
            // Not every failure goes through the callback.
            silence.undone(partition);
            throw e;
        }
        unanswered.sent(answer);
    }

    private void note(@Nullable TopicPartition partition, @Nullable Exception error) {
        boolean undone = error != null && FailureClasses.isConsequenceInTransaction(error);
        if ((undone || error instanceof TimeoutException) && ended.get()) {
            // The next producer has begun to count, or will: this is none of what it sent.
            return;
        }
        if (error instanceof TimeoutException) {
            silence.timedOut(partition);
        } else if (undone) {
            silence.undone(partition);
        } else {
            silence.answered(partition);
        }
    }

    /** Whether everything sent since the last commit or abort was accepted. */
    boolean isIntact() {
        return transaction == null || transaction.isIntact();
    }

    /**
     * Commits everything sent since the last commit or abort, and this. Kafka's own commit first waits for what is in
     * flight, and takes it along: here it must have been answered before.
     *
     * @param last is told where the events are that it is committed with
     * @throws NotCommittedException if not everything sent was accepted; nothing has been done
     * @throws RuntimeException Kafka's; what has been done is unknown
     */
    void commitWith(ProducerRecord<byte[], byte[]> last) throws NotCommittedException {
        if (ended.get()) {
            throw new IllegalStateException("its producer has been stopped");
        }
        Transaction current = transaction != null ? transaction : begin();
        current.checkAllAccepted();
        current.tell(last);
        Object closed = connectionsClosed.get();
        Future<RecordMetadata> position = producer.send(last);
        producer.commitTransaction();
        lastCommit = new Commit(current.records(position), closed);
        if (leftovers != null) {
            leftovers.committed();
        }
        transaction = null;
    }

    /**
     * One record of a transaction in each of its partitions.
     *
     * @param closed how many connections had been closed when it was not yet to be committed
     */
    private record Commit(Map<TopicPartition, Long> records, Object closed) {}

    /**
     * A commit is answered before it is in effect in every partition. That it is can be seen from an event accepted afterwards: brokers
     * take none before. But if a connection was lost since, a broker may have been, and with it the rest of what had to be done.
     *
     * @throws RuntimeException if the last commit is not in effect, or nobody can tell
     */
    void confirmLastCommit() {
        Commit last = lastCommit;
        Object closed = connectionsClosed.get();
        boolean seen = transaction != null && transaction.hasAccepted();
        if (last == null || leftovers == null || seen && closed.equals(last.closed())) {
            return;
        }
        try {
            if (!leftovers.hasEnded(last.records())) {
                throw new IllegalStateException("a broker has lost what it had to do for the last commit");
            }
            lastCommit = new Commit(last.records(), closed);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("it was interrupted", e);
        }
    }

    /**
     * @throws RuntimeException Kafka's; this producer is of no more use then
     */
    void abort() {
        if (transaction != null) {
            producer.abortTransaction();
            transaction = null;
            if (leftovers != null) {
                leftovers.lookAgain();
            }
        }
    }

    boolean hasEnded() {
        return ended.get();
    }

    /**
     * What the producer does not answer any more, or will not before its delivery timeout because a destination has come to take
     * nothing, is answered here, as unresolved; the relay aborts the transaction then. Kafka does so only if nothing is left of
     * which it does not know what has become; otherwise this producer ends, and the next one of its id undoes the
     * transaction. Relay's thread.
     */
    void giveUpIfLate() {
        silence.lookAtSlowTopics();
        silence.look();
        Transaction current = transaction;
        if (unanswered.areLate()) {
            end();
            unanswered.answerAll(PublishResult.Unresolved::new);
        } else if (current != null && silence.isWaitingInVain()) {
            current.fail();
            unanswered.answerAll(PublishResult.Unresolved::new);
        }
    }

    /**
     * Sends nothing more. What is in flight is answered as unresolved; a transaction stays open until its timeout or the
     * next producer of its id. Any thread.
     */
    void end() {
        if (ended.compareAndSet(false, true)) {
            try {
                producer.close(Duration.ZERO);
            } catch (KafkaException e) {
                // It is closed all the same; this is about waiting for its thread, or its metrics.
            }
            flusher.end();
        }
    }

    /**
     * What was sent in one transaction, and what has failed. Kafka gives the exception of the record that failed also to those that were
     * waiting behind it, the same object, so an exception speaks for the first record that comes with it. And after a
     * failure others follow from it, with whatever exceptions: only what cannot be meant otherwise is believed then.
     */
    private final class Transaction {
        private final Set<Exception> reasons = Collections.newSetFromMap(new IdentityHashMap<>());
        private final Witnesses witnesses = new Witnesses();
        private int sent;
        private int accepted;
        private boolean failed;
        private boolean undoneInTheEnd;

        /** It shares a partition with one that hangs, which is undone with it: so nothing of it is accepted. */
        synchronized void undoInTheEnd() {
            undoneInTheEnd = true;
        }

        synchronized boolean hasFailed() {
            return failed;
        }

        synchronized void fail() {
            failed = true;
        }

        /** Counted before it is sent: what cannot even be sent is never accepted. */
        synchronized void sending() {
            sent++;
        }

        synchronized PublishResult accept(RecordMetadata metadata) {
            accepted++;
            witnesses.add(metadata);
            if (undoneInTheEnd) {
                failed = true;
                return new PublishResult.Unresolved();
            }
            return new PublishResult.Accepted();
        }

        synchronized boolean hasAccepted() {
            return accepted > 0;
        }

        synchronized boolean isIntact() {
            return !failed && accepted == sent;
        }

        synchronized void checkAllAccepted() throws NotCommittedException {
            // Kafka itself would not see a failure in every case, for example not if the record could not be
            // serialized.
            if (!isIntact()) {
                throw new NotCommittedException("Of " + sent + " events sent in this transaction " + accepted
                        + " were accepted, so it was not committed; it has to be aborted.");
            }
        }

        synchronized void tell(ProducerRecord<byte[], byte[]> last) {
            witnesses.writeTo(last.headers());
        }

        /** With their offsets, as far as they are known. */
        synchronized Map<TopicPartition, Long> records(Future<RecordMetadata> position) {
            Map<TopicPartition, Long> records = new HashMap<>(witnesses.offsets());
            try {
                RecordMetadata metadata = position.get();
                records.put(new TopicPartition(metadata.topic(), metadata.partition()), metadata.offset());
            } catch (ExecutionException e) {
                throw new KafkaException("the position was not accepted", e);
            } catch (InterruptedException e) {
                // It is there since the commit.
                Thread.currentThread().interrupt();
            }
            records.values().removeIf(offset -> offset < 0);
            return records;
        }

        /** What the failure of a record means for this record. */
        synchronized PublishResult judge(ProducerRecord<byte[], byte[]> record, Exception error) {
            failed = true;
            if (FailureClasses.isConsequenceInTransaction(error) || !reasons.add(error)) {
                return new PublishResult.Unresolved();
            }
            PublishResult result = topics.failed(record, error);
            if (result instanceof PublishResult.Blocked) {
                // Known from now on, and told before anything is sent when the batch is built again.
                return new PublishResult.Unresolved();
            }
            boolean hopeless = result instanceof PublishResult.Rejected rejected && rejected.permanent();
            return reasons.size() == 1 || hopeless ? result : new PublishResult.Unresolved();
        }
    }
}
