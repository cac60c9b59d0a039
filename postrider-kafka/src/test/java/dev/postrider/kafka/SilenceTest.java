package dev.postrider.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SilenceTest {
    private static final TopicPartition SILENT = new TopicPartition("orders", 1);
    private static final TopicPartition OTHER = new TopicPartition("orders", 2);

    private long now = -5;
    private final KnownTopics topics =
            new KnownTopics(new TopicLook(new ProducerSettings(Map.of("bootstrap.servers", "localhost:1"))), () -> now);
    private final Silence silence = new Silence(topics, () -> now);

    @Test
    void partitionThatGivesNoAnswerForTenSecondsWhileOthersDoTakesNothingUntilItAnswers() {
        silence.sent(SILENT);
        silence.sent(SILENT);
        pass(Duration.ofSeconds(9));
        silence.sent(OTHER);
        silence.answered(OTHER);
        silence.look();
        assertThat(topics.blocked()).isEmpty();

        pass(Duration.ofSeconds(2));
        silence.look();
        assertThat(topics.blocked()).containsExactly(Map.entry("orders/1", "no answer"));

        silence.answered(SILENT);
        assertThat(topics.blocked()).isEmpty();

        pass(Duration.ofSeconds(9));
        silence.look();
        assertThat(topics.blocked()).as("counted from its last answer").isEmpty();
    }

    @Test
    void clusterThatGivesNoAnswerAtAllIsNotBlamedOnItsPartitions() {
        silence.sent(OTHER);
        silence.answered(OTHER);
        pass(Duration.ofSeconds(1));
        silence.sent(SILENT);
        silence.sent(OTHER);
        pass(Duration.ofMinutes(1));

        silence.look();

        assertThat(topics.blocked()).isEmpty();
    }

    @Test
    void partitionIsTriedAgainOnceItsProducerIsClosed() {
        int[] released = {0};
        topics.onRelease(() -> released[0]++);
        silence.sent(SILENT);
        pass(Duration.ofSeconds(11));
        silence.sent(OTHER);
        silence.answered(OTHER);
        silence.look();
        assertThat(topics.blocked()).containsOnlyKeys("orders/1");

        silence.end();

        assertThat(topics.blocked()).isEmpty();
        assertThat(released[0]).as("whoever holds events back is told").isEqualTo(1);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
