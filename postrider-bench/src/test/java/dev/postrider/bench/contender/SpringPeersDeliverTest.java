package dev.postrider.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServices;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SpringPeersDeliverTest {
    private static final int PARTITIONS = 6;
    private static final int BACKLOG = 1_000;
    private static final Shape SHAPE = new Shape(1_000, 100);
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration A_WHILE = Duration.ofSeconds(1);

    private static DevServices services;

    @BeforeAll
    static void startServers() {
        services = DevServices.start(DevPostgres.builder().setting("wal_level", "logical"), DevKafka.builder());
    }

    @AfterAll
    static void stopServers() {
        services.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMASTACK", "MODULITH"})
    void everythingArrivesWithItsKeyAfterTheStartAndNothingBefore(ContenderName name) throws Exception {
        List<BenchEvent> backlog = BenchEvent.range(0, BACKLOG, SHAPE);
        List<BenchEvent> whileStopped = BenchEvent.range(BACKLOG, 10, SHAPE);
        List<BenchEvent> whileStarted = BenchEvent.range(BACKLOG + 10, 40, SHAPE);
        try (Contender contender = name.at(place(name));
                Arrived arrived = new Arrived(services.kafka().bootstrapServers(), name.label(), PARTITIONS)) {
            contender.prepare();
            contender.backlog(backlog);
            assertThat(arrived.awaitNumbers(1, A_WHILE)).isEmpty();

            contender.start();
            assertThat(arrived.awaitNumbers(BACKLOG, LONGEST)).hasSize(BACKLOG);

            contender.stop();
            contender.write(whileStopped);
            assertThat(arrived.awaitNumbers(BACKLOG + 1, A_WHILE)).hasSize(BACKLOG);

            contender.start();
            for (BenchEvent event : whileStarted) {
                contender.write(List.of(event));
            }
            assertThat(arrived.awaitNumbers(BACKLOG + 50, LONGEST)).hasSize(BACKLOG + 50);
            assertThat(arrived.keys()).isEqualTo(keys(BenchEvent.range(0, BACKLOG + 50, SHAPE)));
            assertThat(contender.settings()).isNotEmpty();
        }
    }

    private static Map<Long, String> keys(List<BenchEvent> events) {
        return events.stream().collect(Collectors.toMap(BenchEvent::number, BenchEvent::key));
    }

    private static Place place(ContenderName name) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", services.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(name.label(), PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        return new Place(
                services.postgres().createDatabase(name.label()),
                services.postgres().user(),
                services.postgres().password(),
                services.kafka().bootstrapServers(),
                name.label(),
                Map.of());
    }
}
