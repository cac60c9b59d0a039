package dev.postrider.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PositionRecordTest {
    private static final TopicPartition PARTITION = new TopicPartition("positions", 0);

    @Test
    void attestationCountsForThePositionBeforeIt() {
        assertThat(attestationOf(60, 61)).isEqualTo(new PositionRecord(60, "p", true, null));
    }

    /** A relay that was paused may write it into a topic that was made anew meanwhile. */
    @Test
    void attestationOfWhatIsNotBeforeItCountsForNothing() {
        assertThat(attestationOf(5000, 12)).isNull();
        assertThat(attestationOf(12, 12)).isNull();
    }

    private static PositionRecord attestationOf(long position, long writtenAt) {
        ProducerRecord<byte[], byte[]> written = new PositionRecord(position, "p", false, null).attestation(PARTITION);
        return PositionRecord.of(new ConsumerRecord<>(
                PARTITION.topic(), PARTITION.partition(), writtenAt, written.key(), "p".getBytes(UTF_8)));
    }
}
