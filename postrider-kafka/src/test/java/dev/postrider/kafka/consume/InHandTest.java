package dev.postrider.kafka.consume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is handed out, and how far a partition may be committed. Records are named by key and offset. */
class InHandTest {
    private static final TopicPartition ONE = new TopicPartition("t", 0);
    private static final TopicPartition TWO = new TopicPartition("t", 1);

    private final InHand inHand = new InHand();

    @BeforeEach
    void assign() {
        inHand.assigned(List.of(ONE, TWO));
        inHand.committed(Map.of(ONE, new OffsetAndMetadata(0), TWO, new OffsetAndMetadata(0)));
    }

    @Test
    void recordsOfAKeyComeInOrderInOnePass() {
        take(ONE, "a", "b", "a");

        assertThat(pass(Entry::done)).containsExactly("a0", "b1", "a2");
        assertThat(committable()).isEqualTo(Map.of(ONE, 3L));
        assertThat(inHand.unfinished()).isEmpty();
    }

    @Test
    void recordThatIsNotDoneHoldsBackItsKeyInItsPartitionAndTheCommit() {
        take(ONE, "b", "a", "a", "b");
        take(TWO, "a");

        assertThat(pass(entry -> {
                    if (entry.origin().offset() == 1) {
                        entry.waitUntil(1_000);
                    } else {
                        entry.done();
                    }
                }))
                .containsExactly("b0", "a1", "b3", "a0");
        assertThat(committable()).isEqualTo(Map.of(ONE, 1L, TWO, 1L));
        assertThat(inHand.unfinished()).containsExactly(ONE);
        assertThat(inHand.behind(ONE)).isEqualTo(3);
        assertThat(inHand.hasReady(999)).isFalse();
        assertThat(inHand.nextDue()).hasValue(1_000);
        assertThat(inHand.hasReady(1_000)).isTrue();
    }

    @Test
    void recordsWithoutKeyWaitForNobody() {
        take(ONE, null, null);

        assertThat(pass(entry -> {})).hasSize(2);
        assertThat(inHand.batch()).hasSize(2);
    }

    @Test
    void batchEndsForAKeyWhereOneOfItMustGoAlone() {
        take(ONE, "a", "b", "a", "b");
        inHand.batch().get(1).batchFailed();

        assertThat(inHand.batch()).extracting(InHandTest::name).containsExactly("a0", "a2");
    }

    @Test
    void nothingIsHandedOutOrCommittedBeforeThePartitionHasBegun() {
        TopicPartition fresh = new TopicPartition("t", 2);
        inHand.assigned(List.of(fresh));
        take(fresh, "a");

        assertThat(inHand.hasReady(0)).isFalse();
        assertThat(inHand.batch()).isEmpty();
        assertThat(committable()).isEmpty();
        assertThat(inHand.firstOf(fresh)).isZero();

        inHand.committed(Map.of(fresh, new OffsetAndMetadata(0)));
        assertThat(inHand.hasReady(0)).isTrue();
    }

    @Test
    void marksOfTransactionsBehindTheLastRecordAreAsGoodAsDone() {
        inHand.take(new ConsumerRecords<>(Map.of(), Map.of(ONE, new OffsetAndMetadata(7))), false);

        assertThat(committable()).isEqualTo(Map.of(ONE, 7L));
        inHand.committed(Map.of(ONE, new OffsetAndMetadata(7)));
        assertThat(committable()).isEmpty();
    }

    @Test
    void whatWasTakenAwayIsForgotten() {
        take(ONE, "a");
        pass(Entry::done);
        inHand.drop(List.of(ONE));

        assertThat(committable()).isEmpty();
        assertThat(inHand.unfinished()).isEmpty();
    }

    private void take(TopicPartition partition, String... keys) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int offset = 0; offset < keys.length; offset++) {
            byte[] key = keys[offset] == null ? null : keys[offset].getBytes(UTF_8);
            ConsumerRecord<byte[], byte[]> record =
                    new ConsumerRecord<>(partition.topic(), partition.partition(), offset, key, new byte[0]);
            for (String attribute : List.of("id", "type", "source")) {
                record.headers().add("ce_" + attribute, "x".getBytes(UTF_8));
            }
            record.headers().add("ce_specversion", "1.0".getBytes(UTF_8));
            records.add(record);
        }
        inHand.take(
                new ConsumerRecords<>(
                        Map.of(partition, records), Map.of(partition, new OffsetAndMetadata(keys.length))),
                false);
    }

    private List<String> pass(Consumer<Entry> worker) {
        List<String> shown = new ArrayList<>();
        inHand.eachReady(0, entry -> {
            shown.add(name(entry));
            worker.accept(entry);
            return true;
        });
        return shown;
    }

    private static String name(Entry entry) {
        return (entry.record().key() == null ? "-" : new String(entry.record().key(), UTF_8))
                + entry.origin().offset();
    }

    private Map<TopicPartition, Long> committable() {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        inHand.committable(inHand.partitions()).forEach((partition, offset) -> offsets.put(partition, offset.offset()));
        return offsets;
    }
}
