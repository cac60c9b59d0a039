package dev.postrider.kafka;

import dev.postrider.PostriderException;
import dev.postrider.kafka.topics.OpenTransaction;
import dev.postrider.kafka.topics.OpenTransactions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What earlier transactions of a shard have left open in the partitions of events. A coordinator that ends a transaction
 * while one of its partitions has no leader can forget that partition (KAFKA-20734): the transaction then hangs there. Partitions
 * tell transactions apart by the producer's id, which is that of the next producer as well, so its next commit there would
 * make the old records visible, although they were sent again meanwhile. Hence a topic is looked at before the first event goes to it.
 *
 * <p>What hangs is ended there; or, if this user may not do that, undone by a transaction of the shard's own that has a record in the same
 * partition and is aborted. With one exception: events that the last position says were delivered have been committed, and become visible
 * with the next commit.
 *
 * <p>Relay's thread, and a thread of its own while there is something to look at.
 */
final class Leftovers {
    private static final Logger log = LoggerFactory.getLogger(Leftovers.class);
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** For so long nobody asks again when there was no answer. */
    private static final long SILENCE = Duration.ofSeconds(1).toNanos();

    /** Topics in one look. */
    private static final int MOST = 100;

    /** What was found in a partition. */
    enum Found {
        NOTHING,
        /** A transaction of this shard that nobody will ever end, and that was not ended here. */
        HANGING,
        /** It is not known: there was no answer. */
        UNKNOWN
    }

    private final Map<String, Object> admin;
    private final String transactionalId;
    private final Duration patience;
    private final @Nullable List<Witness> delivered;

    /** The next four are guarded by this object. */
    private final Map<TopicPartition, Found> found = new HashMap<>();

    private final Map<String, Look> looks = new HashMap<>();
    private final Set<String> waiting = new HashSet<>();
    private boolean working;

    private volatile boolean mayUndo = true;

    /** Once is enough. */
    private boolean complained;

    /**
     * @param delivered where the events are that were committed with the last position; null if that is not known
     */
    Leftovers(Map<String, Object> transactional, @Nullable List<Witness> delivered) {
        this.admin = ProducerSettings.admin(transactional);
        this.transactionalId = String.valueOf(transactional.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG));
        this.patience = Duration.ofMillis(ProducerSettings.patience(transactional));
        this.delivered = delivered;
    }

    /** At one topic. */
    private static final class Look {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        volatile @Nullable Long failedAt;

        boolean hasJustFailed() {
            Long at = failedAt;
            return at != null && System.nanoTime() - at < SILENCE;
        }
    }

    /** Complete as soon as the topic has been looked at, with whatever result. */
    CompletionStage<?> lookedAt(String topic) {
        return look(topic, false).done;
    }

    /**
     * @param anew also if it has been looked at with success
     */
    private synchronized Look look(String topic, boolean anew) {
        Look look = looks.get(topic);
        if (look != null && (!look.done.isDone() || look.hasJustFailed() || look.failedAt == null && !anew)) {
            return look;
        }
        Look next = new Look();
        looks.put(topic, next);
        waiting.add(topic);
        if (!working) {
            working = true;
            Thread thread = new Thread(this::work, "postrider-kafka-leftovers");
            thread.setDaemon(true);
            thread.start();
        }
        return next;
    }

    /** Waits only for a topic whose {@link #lookedAt} nobody awaited, or whose partition had no leader then. */
    Found in(TopicPartition partition) {
        Found known = known(partition);
        if (known == null) {
            await(look(partition.topic(), true).done);
            known = known(partition);
        }
        return known == null ? Found.UNKNOWN : known;
    }

    private synchronized @Nullable Found known(TopicPartition partition) {
        return found.get(partition);
    }

    /** From now on what hangs may be what was said to be committed: nothing is ended here any more. */
    void committed() {
        mayUndo = false;
    }

    /**
     * Whether the transaction with these records has been ended in their partitions. Waits if that is under way.
     *
     * @throws KafkaException if the brokers do not say
     * @throws PostriderException if it does not come to its end
     */
    boolean hasEnded(Map<TopicPartition, Long> records) throws InterruptedException {
        try (OpenTransactions transactions = OpenTransactions.connect(admin, patience, patience)) {
            long start = System.nanoTime();
            while (true) {
                List<OpenTransaction> open = ours(transactions, records.keySet()).stream()
                        .filter(one -> one.startOffset() <= records.getOrDefault(one.partition(), -1L))
                        .toList();
                if (open.isEmpty()) {
                    return true;
                }
                // A later one is accepted only when its coordinator thinks that this one has been ended.
                if (open.stream().anyMatch(one -> one.isHanging() || isOngoing(one))) {
                    return false;
                }
                pauseUnlessLate(start);
            }
        }
    }

    private static boolean isOngoing(OpenTransaction one) {
        return one.coordinated() != null && one.coordinated().state() == TransactionState.ONGOING;
    }

    private void pauseUnlessLate(long start) throws InterruptedException {
        if (System.nanoTime() - start > patience.toNanos()) {
            throw new PostriderException("a transaction of " + transactionalId + " does not come to its end");
        }
        Thread.sleep(PAUSE.toMillis());
    }

    /** Every topic is looked at once more before something is sent to it. Nothing of this shard may be open now. */
    synchronized void lookAgain() {
        found.clear();
        looks.values().removeIf(look -> look.done.isDone());
    }

    private void await(CompletableFuture<?> look) {
        try {
            // Others may be looked at before it.
            look.get(2 * patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // It is as unknown as before.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        while (true) {
            Map<String, Look> batch = new HashMap<>();
            synchronized (this) {
                waiting.stream().limit(MOST).forEach(topic -> batch.put(topic, looks.get(topic)));
                if (batch.isEmpty()) {
                    working = false;
                    return;
                }
                waiting.removeAll(batch.keySet());
            }
            try {
                look(batch.keySet());
            } catch (KafkaException | PostriderException e) {
                log.info("{} cannot be searched for transactions left open: {}", batch.keySet(), e.getMessage());
                batch.values().forEach(look -> look.failedAt = System.nanoTime());
            } catch (InterruptedException e) {
                batch.values().forEach(look -> look.failedAt = System.nanoTime());
                Thread.currentThread().interrupt();
            } finally {
                batch.values().forEach(look -> look.done.complete(null));
            }
        }
    }

    private void look(Set<String> topics) throws InterruptedException {
        try (OpenTransactions transactions = OpenTransactions.connect(admin, patience, patience)) {
            List<TopicPartition> partitions = transactions.partitions(topics);
            synchronized (this) {
                partitions.removeIf(found::containsKey);
            }
            long start = System.nanoTime();
            while (true) {
                List<OpenTransaction> ours = ours(transactions, partitions);
                if (ours.stream().allMatch(OpenTransaction::isHanging)) {
                    boolean mayEnd = mayUndo && !ours.isEmpty() && transactions.mayAbortHanging();
                    remember(partitions, end(ours, mayEnd ? transactions : null));
                    return;
                }
                pauseUnlessLate(start);
            }
        }
    }

    private List<OpenTransaction> ours(OpenTransactions transactions, Collection<TopicPartition> partitions)
            throws InterruptedException {
        try {
            return transactions.find(partitions).stream()
                    .filter(one -> one.coordinated() != null
                            && one.coordinated().transactionalId().equals(transactionalId))
                    .toList();
        } catch (AuthorizationException e) {
            complain(e);
            return List.of();
        }
    }

    private synchronized void complain(AuthorizationException e) {
        if (!complained) {
            complained = true;
            log.warn(
                    "Whether transactions of {} were left open is not known, since this user may not read all topics of events: {}"
                            + " If a broker crashes during a transaction, its events may arrive twice.",
                    transactionalId,
                    e.getMessage());
        }
    }

    /**
     * @param transactions null if they are not to be ended by this
     * @return where it still hangs and should not
     */
    private Set<TopicPartition> end(List<OpenTransaction> hanging, @Nullable OpenTransactions transactions)
            throws InterruptedException {
        Set<TopicPartition> left = new HashSet<>();
        for (OpenTransaction one : hanging) {
            boolean undone = isUndone(one);
            if (undone && transactions != null) {
                transactions.abort(one);
            } else if (undone) {
                left.add(one.partition());
            }
            log.warn(
                    "A transaction of {} hung in {} from offset {} on: its coordinator had forgotten it. {}",
                    transactionalId,
                    one.partition(),
                    one.startOffset(),
                    undone
                            ? "Its events are undone there, and sent again."
                            : "Its events have been delivered; consumers get them with the next ones there.");
        }
        return left;
    }

    private synchronized void remember(List<TopicPartition> partitions, Set<TopicPartition> hanging) {
        for (TopicPartition partition : partitions) {
            found.put(partition, hanging.contains(partition) ? Found.HANGING : Found.NOTHING);
        }
    }

    /** If in doubt it is not: to deliver twice is better than not at all. */
    private boolean isUndone(OpenTransaction hanging) {
        return delivered != null
                && delivered.stream()
                        .noneMatch(one ->
                                one.partition().equals(hanging.partition()) && one.offset() >= hanging.startOffset());
    }
}
