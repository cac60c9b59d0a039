package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevStandby;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.CommittedRecords;
import dev.postrider.tests.support.TestTopics;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The primary dies and a real standby takes its place that has not received the last commits. It gives their ids and
 * transaction numbers to other events: those must not be taken for delivered.
 */
class PromotedStandbyTest {
    private final TestTopics topics = new TestTopics("standby");
    private final List<String> failedOver = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(Delivery.class)
    void whateverTheNewPrimaryHasIsDelivered(Delivery delivery) throws Exception {
        topics.create("order-events", 1);
        try (DevPostgres primary = DevPostgres.start();
                DevStandby standby = primary.startStandby()) {
            PGSimpleDataSource either = dataSource("jdbc:postgresql://127.0.0.1:" + primary.port() + ",127.0.0.1:"
                    + standby.postgres().port() + "/postgres?targetServerType=primary");
            OutboxSchema.migrate(
                    either, OutboxTable.DEFAULT, OutboxLayout.log(1).delivering(delivery));
            try (Relay relay = Relay.builder(
                            either,
                            KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                                    .routing(topics.routing())
                                    .build())
                    .settings(CrashingRelay.settings("relay"))
                    .listener(new RelayListener() {
                        @Override
                        public void databaseFailedOver(int shard, int fromTimeline, int toTimeline) {
                            failedOver.add(shard + ": " + fromTimeline + " to " + toTimeline);
                        }
                    })
                    .build()) {
                relay.start();
                List<String> early = write(either, "early", 20);
                await().atMost(Duration.ofMinutes(1)).until(() -> delivered().containsAll(early));
                standby.awaitCaughtUp();
                standby.disconnect();

                List<String> late = write(either, "late", 30);
                await().atMost(Duration.ofMinutes(1)).until(() -> delivered().containsAll(late));
                primary.kill();
                standby.promote();

                List<String> afterwards = write(either, "afterwards", 30);
                await().atMost(Duration.ofMinutes(1)).until(() -> delivered().containsAll(afterwards));

                assertThat(inTable(either))
                        .as("the late ones are gone with the primary, their ids given to others")
                        .containsAll(early)
                        .containsAll(afterwards)
                        .doesNotContainAnyElementsOf(late);
                assertThat(delivered()).as("in order").containsSubsequence(afterwards);
                assertThat(failedOver).as("told once").containsExactly("0: 1 to 2");
                assertThat(failOvers(either))
                        .as("status names it")
                        .extracting(one -> one.shard() + ": " + one.fromTimeline() + " to " + one.toTimeline())
                        .containsExactly("0: 1 to 2");
            }
        }
    }

    private List<String> delivered() {
        return CommittedRecords.byKey(topics.partitions("order-events", 1)).getOrDefault("7", List.of());
    }

    private static PGSimpleDataSource dataSource(String url) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        dataSource.setUser(DevPostgres.shared().user());
        dataSource.setPassword(DevPostgres.shared().password());
        return dataSource;
    }

    /** Each in a transaction of its own. */
    private static List<String> write(PGSimpleDataSource dataSource, String word, int events) throws SQLException {
        Outbox outbox = Outbox.builder().build();
        List<String> bodies = IntStream.range(0, events)
                .mapToObj(number -> "{\"" + word + "\": " + number + "}")
                .toList();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (String body : bodies) {
                outbox.write(
                        connection,
                        OutboxEvent.builder("acme.order.paid.v1")
                                .aggregate("order", "7")
                                .json(body)
                                .build());
                connection.commit();
            }
        }
        return bodies;
    }

    private static List<String> inTable(PGSimpleDataSource dataSource) throws SQLException {
        List<String> bodies = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select payload::text from outbox order by id")) {
            while (row.next()) {
                bodies.add(row.getString(1));
            }
        }
        return bodies;
    }

    private static List<OutboxStatus.FailOver> failOvers(PGSimpleDataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Databases.of(connection)
                    .outboxStore(OutboxTable.DEFAULT)
                    .statusStore(connection)
                    .status(connection)
                    .failOvers();
        }
    }
}
