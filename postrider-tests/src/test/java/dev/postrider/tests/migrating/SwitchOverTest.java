package dev.postrider.tests.migrating;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayState.Phase;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** The steps of the migration guide, under load: from a hand-written poller to Postrider, back, and over again. */
class SwitchOverTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String SERVERS = DevKafka.shared().bootstrapServers();

    private final TestTopics topics = new TestTopics("switched");

    @Test
    void nothingIsLostSentByBothOrOutOfOrderWhileAPollerAndPostriderRunSideBySide() {
        topics.create("order-events", 3);
        try (TestDatabase database = TestDatabase.empty();
                Shop shop = new Shop(database);
                HandWrittenPoller poller =
                        new HandWrittenPoller(database.dataSource(), SERVERS, topics.prefix() + "order-events")) {
            poller.start();
            shop.start(4);
            await().atMost(PATIENCE).until(() -> poller.sent() > 100);

            // Postrider is there, and sends nothing.
            OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, OutboxLayout.log(2));
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            try (Relay relay = relay(database)) {
                admin.pause("alice", "the old outbox is not empty");
                relay.start();
                await().atMost(PATIENCE).until(() -> relay.state().phase() == Phase.PAUSED);

                switchOver(shop, admin);
                awaitArrival(shop.changes() + 100);

                rollBack(shop, admin, poller);
                int sent = poller.sent();
                await().atMost(PATIENCE).until(() -> poller.sent() > sent + 100);

                admin.pause("alice", "over again");
                await().atMost(PATIENCE).until(() -> relay.state().phase() == Phase.PAUSED);
                switchOver(shop, admin);
                awaitArrival(shop.changes() + 100);

                shop.stop();
                await().atMost(PATIENCE).until(() -> admin.status().oldestUnsent() == null);
            }
            assertThat(shop.failures()).isEmpty();
            assertEachOnceInOrder(shop, poller);
        }
    }

    @Test
    void triggerRedirectsWhatOldCodeWritesAndNothingIsLostSentByBothOrOutOfOrder() {
        topics.create("order-events", 3);
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(2));
                Shop shop = new Shop(database);
                HandWrittenPoller poller =
                        new HandWrittenPoller(database.dataSource(), SERVERS, topics.prefix() + "order-events")) {
            OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();
            admin.pause("alice", "the old outbox is not empty");
            poller.start();
            shop.startOldVersion(4);
            await().atMost(PATIENCE).until(() -> poller.sent() > 200);
            try (Relay relay = relay(database)) {
                relay.start();
                shop.redirectByTrigger();
                await().atMost(PATIENCE).until(shop::isOldTableEmpty);
                admin.resume("alice");
                awaitArrival(shop.changes() + 200);
                shop.stop();
                await().atMost(PATIENCE).until(() -> admin.status().oldestUnsent() == null);
            }
            assertThat(shop.failures()).isEmpty();
            assertEachOnceInOrder(shop, poller);
        }
    }

    /** Postrider is paused. The new events wait in its outbox until the old table is empty. */
    private static void switchOver(Shop shop, OutboxAdmin admin) {
        shop.switchTo("postrider");
        await().atMost(PATIENCE).until(shop::isOldTableEmpty);
        admin.resume("alice");
    }

    /** The same with the roles exchanged. */
    private static void rollBack(Shop shop, OutboxAdmin admin, HandWrittenPoller poller) {
        poller.pause();
        shop.switchTo("poller");
        await().atMost(PATIENCE).until(() -> admin.status().oldestUnsent() == null);
        poller.resume();
    }

    private void awaitArrival(int events) {
        topics.read("order-events", new StringDeserializer(), events);
    }

    private void assertEachOnceInOrder(Shop shop, HandWrittenPoller poller) {
        int changes = shop.changes();
        List<ConsumerRecord<String, String>> all = topics.read("order-events", new StringDeserializer(), changes);
        Map<String, List<Integer>> byOrder = new HashMap<>();
        Set<String> byPoller = new HashSet<>();
        Set<String> byPostrider = new HashSet<>();
        for (ConsumerRecord<String, String> record : all) {
            byOrder.computeIfAbsent(record.key(), any -> new ArrayList<>()).add(Integer.valueOf(record.value()));
            Header id = record.headers().lastHeader("ce_id");
            boolean postrider = record.headers().lastHeader("ce_specversion") != null;
            assertThat((postrider ? byPostrider : byPoller).add(new String(id.value(), UTF_8)))
                    .as("sent twice")
                    .isTrue();
        }
        assertThat(all).as("sent").hasSize(changes);
        assertThat(byPoller).as("sent by both").doesNotContainAnyElementsOf(byPostrider);
        assertThat(byPoller).hasSize(poller.sent()).hasSizeGreaterThan(200);
        assertThat(byPostrider).hasSizeGreaterThan(200);
        byOrder.forEach((order, numbers) -> assertThat(numbers)
                .as(order)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, shop.changes(order)).boxed().toList()));
    }

    private Relay relay(TestDatabase database) {
        return Relay.builder(
                        database.dataSource(),
                        KafkaPublisher.builder(SERVERS)
                                .routing(topics.routing())
                                .build())
                .build();
    }
}
