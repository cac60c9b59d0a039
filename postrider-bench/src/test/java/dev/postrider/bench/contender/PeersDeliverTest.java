package dev.postrider.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.bench.contender.BenchEvent.Shape;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServices;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that loses events would be measured for what it does not do. */
@Tag("torture")
class PeersDeliverTest {
    private static final Shape SHAPE = new Shape(1000, 50);
    private static final int BACKLOG = 1000;
    private static final int PACED = 200;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static DevServices services;

    @BeforeAll
    static void start() {
        services = DevServices.start(DevPostgres.builder().setting("wal_level", "logical"), DevKafka.builder());
    }

    @AfterAll
    static void end() {
        services.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ContenderName.class,
            names = {"DEBEZIUM", "GRUELBOX", "NAMASTACK", "MODULITH"})
    void everyEventArrivesWithItsKeyBeforeAndAfterARestart(ContenderName name) throws Exception {
        String id = name.label().replace('-', '_');
        Place place = new Place(
                services.postgres().createDatabase(id),
                services.postgres().user(),
                services.postgres().password(),
                services.kafka().bootstrapServers(),
                id,
                Map.of());
        createTopic(id);
        try (Arrivals arrivals = new Arrivals(place.bootstrapServers(), id, SHAPE)) {
            try (Contender contender = name.at(place)) {
                contender.prepare();
                contender.backlog(BenchEvent.range(0, BACKLOG, SHAPE));
                assertThat(arrivals.numbers()).as("delivered before the start").isEmpty();

                contender.start();
                arrivals.await(BACKLOG, LIMIT);
                assertThat(arrivals.numbers()).containsExactlyInAnyOrderElementsOf(numbers(0, BACKLOG));

                contender.stop();
                contender.write(BenchEvent.range(BACKLOG, 10, SHAPE));
                contender.start();
                new PacedWriter(contender, Order.paced(BACKLOG + 10, PACED, 200, 2, SHAPE)).run();
                arrivals.await(BACKLOG + 10 + PACED, LIMIT);
                assertThat(arrivals.numbers()).containsExactlyInAnyOrderElementsOf(numbers(0, BACKLOG + 10 + PACED));
                assertThat(arrivals.wrongKeys()).isEmpty();
                contender.write(List.of());
                assertThat(payments(place)).isEqualTo(BACKLOG / 100 + 1 + PACED + 1);
            }
        }
        assertThat(count(place, "select count(*) from pg_replication_slots"))
                .as("slots left behind")
                .isZero();
    }

    private static List<Long> numbers(long from, int count) {
        return LongStream.range(from, from + count).boxed().toList();
    }

    private static void createTopic(String topic) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", services.kafka().bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 6, (short) 1))).all().get();
        }
    }

    private static long payments(Place place) throws Exception {
        return count(place, "select count(*) from " + Business.TABLE);
    }

    private static long count(Place place, String sql) throws Exception {
        try (Connection connection = DriverManager.getConnection(place.jdbcUrl(), place.user(), place.password());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
