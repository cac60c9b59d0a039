package dev.postrider.kafka;

import dev.postrider.PostriderException;
import dev.postrider.kafka.topics.OpenTransaction;
import dev.postrider.kafka.topics.OpenTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a transaction that hangs in a shard's partition of the positions topic, if it can be told whether its events were delivered:
 *
 * <ol>
 *   <li>The transaction that is open there must hang: its coordinator has none under way there, and never will.
 *   <li>The positions behind its first record are read as they were written, with their {@link Witnesses}.
 *   <li>The witnesses are asked. One committed and none aborted: the events were delivered, also where they hang as well. None committed,
 *       each aborted or hanging: they were not. Anything else is left to people, because ending it could lose events or double them.
 *   <li>A position whose events were delivered is attested ({@link PositionRecord}): from then on it counts, whatever becomes of the
 *       transaction that it is in.
 *   <li>The transaction is ended in the partitions of events in which it hangs, and last of all in that of the positions: whoever comes
 *       after a crash in between finds it hanging there and does the rest.
 * </ol>
 *
 * The position is not written once more in a transaction of the line's own. Partitions tell transactions apart by the producer's id, which
 * is the same, so that it would become part of the one that hangs, and an abort of the one would undo both. For the same reason nothing
 * may be sent to a partition of events before the transaction has been ended there: the next commit would commit it too.
 *
 * <p>A relay that has been overtaken meanwhile does no harm. What it attests is true; and what it ends it ends by the epoch of the
 * producer that hangs, which brokers refuse as soon as a later one has written there. Relay's thread; connects only for as long as a method
 * lasts, and that is bounded.
 */
final class HangingPosition {
    private static final Logger log = LoggerFactory.getLogger(PositionsTopic.class);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration CLOSING = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final Map<String, Object> admin;
    private final Map<String, Object> reader;
    private final Map<String, Object> writer;
    private final Duration patience;

    HangingPosition(Map<String, Object> producerSettings) {
        this.admin = ProducerSettings.admin(producerSettings);
        this.reader = ProducerSettings.reader(producerSettings);
        this.writer = ProducerSettings.besidesTransactions(producerSettings);
        this.patience = Duration.ofMillis(ProducerSettings.patience(producerSettings));
    }

    /**
     * @param positions in which a reader does not get on
     * @return whether it can be expected to get on now; if not, nothing was changed, or what remains to be done can be done later
     */
    boolean end(TopicPartition positions) {
        long start = System.nanoTime();
        try (OpenTransactions transactions = OpenTransactions.connect(admin, patience, LONGEST)) {
            return end(positions, transactions, start);
        } catch (Undecided | KafkaException | PostriderException | ExecutionException | TimeoutException e) {
            log.info("What keeps {} from being read to its end is not ended by itself: {}", positions, e.getMessage());
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean end(TopicPartition positions, OpenTransactions transactions, long start)
            throws Undecided, ExecutionException, TimeoutException, InterruptedException {
        List<OpenTransaction> open = transactions.find(List.of(positions));
        if (open.isEmpty()) {
            return true;
        }
        OpenTransaction here = open.get(0);
        if (open.size() > 1 || !here.isHanging()) {
            throw new Undecided("the transaction that is open there is not known to hang");
        }
        if (!transactions.mayAbortHanging()) {
            throw new Undecided(
                    "this user may not end transactions, which takes Alter or ClusterAction on the cluster");
        }
        List<PositionRecord> hidden = hidden(positions, here.startOffset());
        Map<TopicPartition, OpenTransaction> elsewhere = elsewhere(hidden, here, transactions);
        PositionRecord delivered = null;
        Set<OpenTransaction> undelivered = new LinkedHashSet<>();
        int count = 0;
        // A position says that everything before it was delivered: also what earlier ones were committed with.
        boolean gap = false;
        for (PositionRecord one : hidden) {
            if (!one.isAttestation()) {
                count++;
                if (System.nanoTime() - start > LONGEST.toNanos()) {
                    throw new Undecided("it takes too long to find out what has become of its events");
                }
                List<Witness> events = witnesses(one);
                if (isDelivered(one, elsewhere)) {
                    if (gap) {
                        throw new Undecided(
                                "events of an earlier position were not committed, and those of a later one were");
                    }
                    delivered = one;
                } else {
                    gap |= !events.isEmpty();
                    events.stream()
                            .map(witness -> elsewhere.get(witness.partition()))
                            .filter(hanging -> hanging != null)
                            .forEach(undelivered::add);
                }
            }
        }
        if (count == 0) {
            throw new Undecided("it has no position");
        }
        if (delivered != null) {
            attest(positions, delivered, hidden);
        }
        for (OpenTransaction one : undelivered) {
            transactions.abort(one);
        }
        transactions.abort(here);
        tell(here, delivered, undelivered);
        return true;
    }

    /** What was written from this offset on, committed or not. */
    private List<PositionRecord> hidden(TopicPartition positions, long from) throws Undecided {
        Map<String, Object> settings = new HashMap<>(reader);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        List<PositionRecord> hidden = new ArrayList<>();
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            long end = consumer.endOffsets(List.of(positions)).getOrDefault(positions, 0L);
            consumer.assign(List.of(positions));
            consumer.seek(positions, from);
            long start = System.nanoTime();
            while (consumer.position(positions) < end) {
                if (System.nanoTime() - start > patience.toNanos()) {
                    throw new Undecided("it could not be read within " + patience);
                }
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(PAUSE)) {
                    PositionRecord position = PositionRecord.of(record);
                    if (position != null) {
                        hidden.add(position);
                    }
                }
            }
        } finally {
            consumer.close(CloseOptions.timeout(CLOSING));
        }
        return hidden;
    }

    /** Where the same producer has a transaction open among the events, by partition. */
    private static Map<TopicPartition, OpenTransaction> elsewhere(
            List<PositionRecord> hidden, OpenTransaction here, OpenTransactions transactions)
            throws Undecided, InterruptedException {
        Set<TopicPartition> partitions = new HashSet<>();
        for (PositionRecord one : hidden) {
            if (!one.isAttestation()) {
                witnesses(one).forEach(witness -> partitions.add(witness.partition()));
            }
        }
        Map<TopicPartition, OpenTransaction> open = new HashMap<>();
        if (!partitions.isEmpty()) {
            for (OpenTransaction one : transactions.find(partitions)) {
                if (one.producerId() == here.producerId()) {
                    open.put(one.partition(), one);
                }
            }
        }
        return open;
    }

    private static List<Witness> witnesses(PositionRecord position) throws Undecided {
        List<Witness> witnesses = position.witnesses();
        if (witnesses == null) {
            throw new Undecided("the position at offset " + position.offset() + " does not say where its events are");
        }
        return witnesses;
    }

    private boolean isDelivered(PositionRecord position, Map<TopicPartition, OpenTransaction> open) throws Undecided {
        List<Witness> ended = new ArrayList<>();
        for (Witness witness : witnesses(position)) {
            OpenTransaction there = open.get(witness.partition());
            if (there == null) {
                ended.add(witness);
            } else if (!there.isHanging() || there.startOffset() > witness.offset()) {
                throw new Undecided("another transaction of its producer is open in " + witness.partition());
            }
        }
        Map<Witness, WitnessLook.Fate> fates = new WitnessLook(reader, patience).ask(ended);
        Set<WitnessLook.Fate> found = new HashSet<>(fates.values());
        if (found.contains(WitnessLook.Fate.UNKNOWN)) {
            throw new Undecided("the outcome of its events is not known in "
                    + fates.entrySet().stream()
                            .filter(one -> one.getValue() == WitnessLook.Fate.UNKNOWN)
                            .map(one -> one.getKey().partition().toString())
                            .collect(Collectors.joining(", ")));
        }
        boolean committed = found.contains(WitnessLook.Fate.COMMITTED);
        if (committed && found.contains(WitnessLook.Fate.ABORTED)) {
            throw new Undecided("its events were committed in some partitions and not in others");
        }
        // Where they hang the coordinator has forgotten to commit them: the next commit there does (Leftovers).
        return committed;
    }

    private void attest(TopicPartition positions, PositionRecord delivered, List<PositionRecord> hidden)
            throws ExecutionException, TimeoutException, InterruptedException {
        boolean done = hidden.stream().anyMatch(one -> one.isAttestation() && one.offset() == delivered.offset());
        if (done) {
            return;
        }
        KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(writer, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            ProducerRecord<byte[], byte[]> attestation = delivered.attestation(positions);
            producer.send(attestation).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            producer.close(Duration.ZERO);
        }
    }

    private static void tell(OpenTransaction here, @Nullable PositionRecord delivered, Set<OpenTransaction> elsewhere) {
        log.warn(
                "A transaction hung in {} from offset {} on (producer id {}, epoch {}): its coordinator had none under way"
                        + " there. {} It has been ended there{}, and the shard goes on.",
                here.partition(),
                here.startOffset(),
                here.producerId(),
                here.producerEpoch(),
                delivered == null
                        ? "None of its events had been committed; they are sent again."
                        : "Its events had been committed, so the position at offset " + delivered.offset() + " counts.",
                elsewhere.stream().map(one -> " and in " + one.partition()).collect(Collectors.joining()));
    }

    /** It is left to people. */
    private static final class Undecided extends Exception {
        private static final long serialVersionUID = 1;

        Undecided(String reason) {
            super(reason);
        }
    }
}
