package dev.postrider.kafka.redrive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DeadLetterTest {
    private static final Instant DIED = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void recordIsSentBackAsItWasAndMarked() {
        ProducerRecord<byte[], byte[]> again = letter(
                        "ce_id", "1", "postrider-dlq-topic", "order-events", "postrider-redrive-count", "2")
                .sentBack("order-events", Instant.EPOCH);

        Map<String, String> headers = new HashMap<>();
        again.headers().forEach(header -> headers.put(header.key(), new String(header.value(), UTF_8)));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "ce_id", "1",
                        "postrider-redrive", "1970-01-01T00:00:00Z",
                        "postrider-redrive-count", "3",
                        "postrider-redrive-from", "order-events.dlq-0@7"));
        assertThat(again.key()).isEqualTo("key".getBytes(UTF_8));
        assertThat(again.value()).isEqualTo("value".getBytes(UTF_8));
        assertThat(again.partition()).isNull();
        assertThat(again.timestamp()).isNull();
    }

    @Test
    void countThatSomebodyElseHasWrittenIsNone() {
        assertThat(letter("postrider-redrive-count", "many").redriven()).isZero();
        assertThat(letter("postrider-redrive-count", "99999999999").redriven()).isZero();
        assertThat(letter().redriven()).isZero();
    }

    @Test
    void filterMatchesIfAllItsConditionsHold() {
        DeadLetter letter = letter(
                "postrider-dlq-exception", "com.acme.Orders$Unknown",
                "postrider-dlq-message", "no order 42",
                "postrider-dlq-group", "shop");

        assertThat(RedriveFilter.everything().matches(letter)).isTrue();
        assertThat(filter().reason("com.acme.Orders$Unknown").build().matches(letter))
                .isTrue();
        assertThat(filter().reason("Orders$Unknown").build().matches(letter)).isTrue();
        assertThat(filter().reason("Unknown").build().matches(letter)).isTrue();
        assertThat(filter().reason("known").build().matches(letter)).isFalse();
        assertThat(filter().message("order 4").build().matches(letter)).isTrue();
        assertThat(filter().key("key").group("shop").build().matches(letter)).isTrue();
        assertThat(filter().key("key").group("bank").build().matches(letter)).isFalse();
        assertThat(filter().since(DIED).build().matches(letter)).isTrue();
        assertThat(filter().until(DIED).build().matches(letter)).isFalse();
        assertThat(filter().key("").build().matches(letter)).isFalse();
        assertThat(filter().reason(DeadLetter.NO_REASON).build().matches(letter()))
                .isTrue();
    }

    @Test
    void timesThatExcludeEachOtherAreRefused() {
        assertThatThrownBy(() -> filter().since(DIED).until(DIED).build()).isInstanceOf(PostriderException.class);
    }

    private static RedriveFilter.Builder filter() {
        return RedriveFilter.builder();
    }

    private static DeadLetter letter(String... headers) {
        RecordHeaders all = new RecordHeaders();
        for (int n = 0; n < headers.length; n += 2) {
            all.add(headers[n], headers[n + 1].getBytes(UTF_8));
        }
        return new DeadLetter(new ConsumerRecord<>(
                "order-events.dlq",
                0,
                7,
                DIED.toEpochMilli(),
                TimestampType.CREATE_TIME,
                3,
                5,
                "key".getBytes(UTF_8),
                "value".getBytes(UTF_8),
                all,
                Optional.empty()));
    }
}
