package dev.postrider.bench.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.bench.BenchException;
import dev.postrider.bench.contender.BenchEvent;
import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.bench.contender.ContenderName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("torture")
class LaboratoryTest {
    private static final Shape SHAPE = new Shape(300, 50);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static Laboratory laboratory;

    @BeforeAll
    static void open() {
        laboratory = Laboratory.open(null);
    }

    @AfterAll
    static void close() {
        laboratory.close();
    }

    @Test
    void backlogArrivesOnceItIsDelivered() {
        try (Site site = laboratory.site(ContenderName.LOG, Map.of());
                Arrivals arrivals = site.arrivals()) {
            ContenderProcess process = site.process();
            process.backlog(0, 1_000, SHAPE);
            process.startDelivery();
            Arrivals.Timeline timeline = arrivals.await(0, 1_000, PATIENCE);
            process.stopDelivery();

            assertThat(timeline.millis()).hasSize(1_000).doesNotContain(-1);
            assertThat(timeline.reordered()).isZero();
            assertThat(timeline.rate()).isPositive();
        }
    }

    @Test
    void eventsThatDoNotArriveAreMissed() {
        try (Site site = laboratory.site(ContenderName.EMPTY, Map.of());
                Arrivals arrivals = site.arrivals()) {
            site.process().backlog(0, 10, SHAPE);

            assertThatThrownBy(() -> arrivals.await(0, 10, Duration.ofSeconds(1)))
                    .isInstanceOf(BenchException.class)
                    .hasMessageStartingWith("0 of 10 events arrived");
        }
    }

    @Test
    void consumerNotesWhenEachEventArrives() {
        try (Site site = laboratory.site(ContenderName.LOG, Map.of())) {
            ContenderProcess writer = site.process(Map.of("relay-elsewhere", "true"));
            ContenderProcess relay = site.process();
            LiveConsumer consumer = site.consume(100);
            relay.startDelivery();
            long[] commits = writer.paced(0, 100, 200, 4, SHAPE);
            consumer.await(100, PATIENCE);

            assertThat(commits).hasSize(100).doesNotContain(0);
            assertThat(consumer.arrival(99)).isGreaterThan(commits[0]);
        }
    }

    @Test
    void contenderThatFailsSaysWhy() {
        try (Site site = laboratory.site(ContenderName.LOG, Map.of("shards", "no number"))) {
            assertThatThrownBy(site::process)
                    .isInstanceOf(BenchException.class)
                    .hasMessageContaining("log ended")
                    .hasMessageContaining("no number");
        }
    }

    @Test
    void documentsHaveTheirLengthAndTheirNumber() {
        byte[] document = BenchEvent.of(123_456, new Shape(1000, 7)).document().getBytes(StandardCharsets.UTF_8);

        assertThat(document).hasSize(1000);
        assertThat(Numbers.of(document)).isEqualTo(123_456);
        assertThat(Numbers.of("{\"seq\": 7}".getBytes(StandardCharsets.UTF_8))).isEqualTo(7);
    }
}
