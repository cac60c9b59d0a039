package dev.postrider.kafka.redrive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.PostriderException;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SentBeforeTest {
    private static final String ID = "AbCdEfGhIjKlMnOpQrStUv";

    @Test
    void textIsReadAsItWasWritten() {
        SentBefore before = SentBefore.NOTHING
                .with(request(everything(), null), 10)
                .with(request(all(), "other-events"), 20)
                .with(request(reason("A"), null), 5);

        assertThat(SentBefore.read(before.text(ID), ID)).isEqualTo(before);
        assertThat(before.offset()).isEqualTo(10);
    }

    @Test
    void progressInAnotherTopicOrOfSomebodyElseDoesNotCount() {
        String text = SentBefore.NOTHING.with(request(everything(), null), 10).text(ID);

        assertThat(SentBefore.read(text, "another")).isEqualTo(SentBefore.NOTHING);
        assertThat(SentBefore.read("moved by kafka-consumer-groups", ID)).isEqualTo(SentBefore.NOTHING);
        assertThat(SentBefore.read("", ID)).isEqualTo(SentBefore.NOTHING);
        assertThat(SentBefore.read(null, ID)).isEqualTo(SentBefore.NOTHING);
    }

    @Test
    void requestGoesOnWhereItWasAndLaterPositionsReplaceEarlierOnes() {
        SentBefore before =
                SentBefore.NOTHING.with(request(reason("A"), null), 5).with(request(reason("A"), null), 7);

        assertThat(before.positionOf(request(reason("A"), null))).isEqualTo(7);
        assertThat(before.positionOf(request(reason("B"), null))).isZero();
        assertThat(before.positionOf(request(reason("A"), "other-events"))).isZero();
        assertThat(before.passes()).hasSize(1);
    }

    @Test
    void letterWasSentIfAFilterThatMatchesItHasPassedItOnTheWayToTheSameTopic() {
        SentBefore before = SentBefore.NOTHING.with(request(reason("A"), null), 5);

        assertThat(before.has(letter(4, "x.A", "order-events"), "order-events")).isTrue();
        assertThat(before.has(letter(5, "x.A", "order-events"), "order-events")).isFalse();
        assertThat(before.has(letter(4, "x.B", "order-events"), "order-events")).isFalse();
        assertThat(before.has(letter(4, "x.A", "order-events"), "other-events")).isFalse();
        assertThat(before.has(letter(4, "x.A", null), "other-events")).isFalse();
        assertThat(before.with(request(everything(), "other-events"), 9).has(letter(4, "x.B", null), "other-events"))
                .isTrue();
    }

    @Test
    void filtersThatWereUsedLongestAgoAreForgottenIfThereAreTooMany() {
        SentBefore before = SentBefore.NOTHING;
        for (int n = 0; n < 100; n++) {
            before = before.with(request(reason("com.acme.Exception" + n), null), n);
        }
        SentBefore read = SentBefore.read(before.text(ID), ID);

        assertThat(before.text(ID).getBytes(UTF_8).length).isLessThan(4_096);
        assertThat(read.passes()).hasSizeBetween(20, 99);
        assertThat(read.positionOf(request(reason("com.acme.Exception99"), null)))
                .isEqualTo(99);
        SentBefore tooLong = SentBefore.NOTHING.with(request(reason("x".repeat(5_000)), null), 1);
        assertThatThrownBy(() -> tooLong.text(ID))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("too long");
    }

    private static RedriveRequest request(RedriveFilter filter, @Nullable String to) {
        return new RedriveRequest("order-events.dlq", filter, to, false, Long.MAX_VALUE);
    }

    private static RedriveFilter everything() {
        return RedriveFilter.everything();
    }

    private static RedriveFilter reason(String name) {
        return RedriveFilter.builder().reason(name).build();
    }

    private static RedriveFilter all() {
        return new RedriveFilter(
                "a.B", "some \"text\"", "key", "group", Instant.parse("2026-01-01T00:00:00Z"), Instant.MAX);
    }

    private static DeadLetter letter(long offset, String reason, @Nullable String topic) {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("order-events.dlq", 0, offset, new byte[0], new byte[0]);
        record.headers().add("postrider-dlq-exception", reason.getBytes(UTF_8));
        if (topic != null) {
            record.headers().add("postrider-dlq-topic", topic.getBytes(UTF_8));
        }
        return new DeadLetter(record);
    }
}
