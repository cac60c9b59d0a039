package dev.postrider.kafka.redrive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PositionsTest {
    private static final TopicPartition PARTITION = new TopicPartition("order-events.dlq", 0);

    private final Positions positions = new Positions(Map.of(PARTITION, 3L));

    @Test
    void positionIsThatOfTheFirstRecordThatIsNotAcknowledged() {
        assertThat(positions.of(PARTITION)).isEqualTo(3);
        Positions.Pending first = positions.send(PARTITION, 5);
        Positions.Pending second = positions.send(PARTITION, 6);
        positions.skip(PARTITION, 7);
        assertThat(positions.of(PARTITION)).isEqualTo(5);

        second.done();
        assertThat(positions.of(PARTITION)).isEqualTo(5);
        first.done();
        assertThat(positions.of(PARTITION)).isEqualTo(8);
    }

    @Test
    void offsetsWithoutRecordsArePassed() {
        positions.skip(PARTITION, 3);
        positions.readUpTo(PARTITION, 9);
        assertThat(positions.of(PARTITION)).isEqualTo(9);
        positions.readUpTo(PARTITION, 4);
        assertThat(positions.of(PARTITION)).isEqualTo(9);
    }
}
