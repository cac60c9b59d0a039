package dev.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RefusedSizesTest {
    private long now = 1;
    private final RefusedSizes sizes = new RefusedSizes(true, 1_000_000, () -> now);

    @Test
    void whatIsAsLargeAsARefusedOneIsRefusedAndWhatIsSmallerIsNot() {
        sizes.failed(record("orders", 5_000), tooLarge());

        assertThat(sizes.obstacle(record("orders", 5_000)))
                .isInstanceOfSatisfying(PublishResult.Rejected.class, one -> {
                    assertThat(one.permanent()).isTrue();
                    assertThat(one.errorClass()).isEqualTo("RecordTooLargeException");
                    assertThat(one.reason())
                            .contains("larger than the topic takes")
                            .contains("topic orders has just refused");
                });
        assertThat(sizes.obstacle(record("orders", 4_999))).isNull();
        assertThat(sizes.obstacle(record("payments", 5_000))).isNull();
    }

    @Test
    void theSmallestRefusedSizeCounts() {
        sizes.failed(record("orders", 5_000), tooLarge());
        sizes.failed(record("orders", 4_000), tooLarge());
        sizes.failed(record("orders", 6_000), tooLarge());

        assertThat(sizes.obstacle(record("orders", 4_000))).isNotNull();
    }

    @Test
    void aRefusalIsForgottenAfterHalfAMinute() {
        sizes.failed(record("orders", 5_000), tooLarge());
        now += Duration.ofSeconds(30).toNanos();
        assertThat(sizes.obstacle(record("orders", 5_000))).isNull();

        sizes.failed(record("orders", 9_000), tooLarge());
        assertThat(sizes.obstacle(record("orders", 5_000))).isNull();
        assertThat(sizes.obstacle(record("orders", 9_000))).isNotNull();
    }

    @Test
    void otherFailuresAndCompressedRecordsSayNothingOfSizes() {
        sizes.failed(record("orders", 5_000), new TimeoutException("no answer"));
        assertThat(sizes.obstacle(record("orders", 5_000))).isNull();

        RefusedSizes compressed = new RefusedSizes(false, 1_000_000, () -> now);
        compressed.failed(record("orders", 5_000), tooLarge());
        assertThat(compressed.obstacle(record("orders", 5_000))).isNull();
    }

    @Test
    void whatTheProducerWouldRefuseIsRefusedBeforeItMeetsATransaction() {
        assertThat(sizes.obstacle(record("orders", 1_000_000)))
                .isInstanceOfSatisfying(PublishResult.Rejected.class, one -> {
                    assertThat(one.permanent()).isTrue();
                    assertThat(one.errorClass()).isEqualTo("RecordTooLargeException");
                    assertThat(one.reason()).contains("max.request.size is 1000000");
                });
        assertThat(sizes.obstacle(record("orders", 990_000))).isNull();
    }

    @Test
    void batchThatIsTooLargeSaysNothingOfItsRecords() {
        sizes.failed(record("orders", 10), new RecordBatchTooLargeException("larger than a segment"));
        assertThat(sizes.obstacle(record("orders", 5_000))).isNull();
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int size) {
        return new ProducerRecord<>(topic, new byte[3], new byte[size]);
    }

    private static RecordTooLargeException tooLarge() {
        return new RecordTooLargeException("larger than the topic takes");
    }
}
