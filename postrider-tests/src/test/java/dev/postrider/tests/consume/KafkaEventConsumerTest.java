package dev.postrider.tests.consume;

import static dev.postrider.tests.consume.ConsumedTopic.PATIENCE;
import static dev.postrider.tests.consume.ConsumedTopic.header;
import static dev.postrider.tests.consume.ConsumedTopic.retryAfter;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.PostriderException;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.consume.ConsumerListener;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.Origin;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.metrics.ConsumerMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The consumer against a real broker: what is retried, what is given up, what is committed. */
class KafkaEventConsumerTest {
    private ConsumedTopic topic = null;
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        if (topic != null) {
            topic.close();
        }
    }

    @Test
    void poisonedRecordOfAHundredEndsInTheDeadLetterTopicAndTheOthersAreHandledOnce() {
        topic = new ConsumedTopic(3);
        topic.sendMany(100, 20);

        topic.start(
                topic.consumer().listener(new ConsumerMetrics(meters, "orders")).handler(event -> {
                    if (body(event).equals("42")) {
                        throw new IllegalStateException("cannot be paid");
                    }
                    handled.add(body(event));
                }));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).hasSize(99).doesNotHaveDuplicates().doesNotContain("42");
        assertInOrderPerKey(handled, 20);
        ConsumerRecord<String, byte[]> letter = topic.deadLetters(1).get(0);
        assertThat(letter.key()).isEqualTo("key-2");
        assertThat(letter.value()).isEqualTo("42".getBytes(UTF_8));
        assertThat(header(letter, "ce_type")).isEqualTo(ConsumedTopic.TYPE);
        assertThat(header(letter, "tenant")).isEqualTo("t-1");
        assertThat(header(letter, "postrider-dlq-exception")).isEqualTo("java.lang.IllegalStateException");
        assertThat(header(letter, "postrider-dlq-message")).isEqualTo("cannot be paid");
        assertThat(header(letter, "postrider-dlq-topic")).isEqualTo(topic.name());
        assertThat(header(letter, "postrider-dlq-attempts")).isEqualTo("3");
        assertThat(header(letter, "postrider-dlq-group")).isEqualTo(topic.group());
        assertThat(header(letter, "postrider-dlq-partition")).matches("[0-2]");
        assertThat(header(letter, "postrider-dlq-offset")).matches("\\d+");
        assertThat(header(letter, "postrider-dlq-timestamp")).startsWith("20");
        assertThat(meters.get("postrider.consumer.handle.latency").timer().count())
                .isEqualTo(99);
        assertThat(meters.get("postrider.consumer.failure.count").counter().count())
                .isEqualTo(3);
        assertThat(meters.get("postrider.consumer.dlq.count").counter().count()).isEqualTo(1);
        await().atMost(PATIENCE)
                .until(() ->
                        meters.get("postrider.consumer.lag").gauges().stream().allMatch(gauge -> gauge.value() == 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void nothingOfAKeyPassesARecordThatIsRetriedAndOtherKeysGoOn(String groupProtocol) {
        topic = new ConsumedTopic(1);
        topic.send("a", "1", "2");
        topic.send("b", "10");
        topic.send("a", "3");
        topic.send("b", "11");
        AtomicInteger attempts = new AtomicInteger();

        topic.start(topic.consumer().property("group.protocol", groupProtocol).handler(event -> {
            if (body(event).equals("1") && attempts.incrementAndGet() <= 2) {
                assertThat(topic.committed()).containsEntry(0, 0L);
                throw new IllegalStateException("not yet");
            }
            handled.add(body(event));
        }));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).containsExactly("10", "11", "1", "2", "3");
    }

    @Test
    void retriesThatTakeLongerThanThePollIntervalDoNotCostTheMembership() {
        topic = new ConsumedTopic(2);
        topic.send("a", "1");
        AtomicInteger attempts = new AtomicInteger();
        List<Set<TopicPartition>> released = new CopyOnWriteArrayList<>();

        topic.start(topic.consumer()
                .settings(ConsumedTopic.settings("patient", 3)
                        .retry(retryAfter(Duration.ofMillis(1500), 3))
                        .maxPollInterval(Duration.ofSeconds(3))
                        .build())
                .listener(new ConsumerListener() {
                    @Override
                    public void released(Set<TopicPartition> partitions) {
                        released.add(partitions);
                    }
                })
                .handler(event -> {
                    if (attempts.incrementAndGet() <= 3) {
                        throw new IllegalStateException("not yet");
                    }
                    handled.add(body(event));
                }));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).containsExactly("1");
        assertThat(released).isEmpty();
    }

    @Test
    void whileTheDeadLetterTopicTakesNothingNothingIsCommittedPastTheRecord() throws Exception {
        topic = new ConsumedTopic(1);
        topic.createDeadLetterTopic("max.message.bytes", "100");
        topic.send("a", "1", "\"poison\"", "2");
        topic.send("b", "10");
        AtomicInteger refused = new AtomicInteger();

        topic.start(topic.consumer()
                .settings(ConsumedTopic.settings("consumer", 0).build())
                .listener(new ConsumerListener() {
                    @Override
                    public void deadLetterRefused(Origin origin, Throwable error) {
                        refused.incrementAndGet();
                    }
                })
                .handler(event -> {
                    if (body(event).equals("\"poison\"")) {
                        throw new IllegalStateException("bad");
                    }
                    handled.add(body(event));
                }));
        await().atMost(PATIENCE).until(() -> refused.get() >= 2);

        assertThat(handled).containsExactly("1", "10");
        assertThat(topic.committed()).containsEntry(0, 1L);
        setDeadLetterMessageSize("100000");
        await().atMost(PATIENCE).until(topic::isAllCommitted);
        assertThat(handled).containsExactly("1", "10", "2");
        assertThat(topic.deadLetters(1).get(0).value()).isEqualTo("\"poison\"".getBytes(UTF_8));
    }

    @Test
    void stopCommitsWhatIsHandledAndNothingElse() {
        topic = new ConsumedTopic(1);
        topic.send("a", "1", "2", "3", "4", "5", "6");
        CountDownLatch atThree = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        KafkaEventConsumer first = topic.start(topic.consumer().handler(event -> {
            if (body(event).equals("3")) {
                atThree.countDown();
                goOn.await();
            }
            handled.add(body(event));
        }));
        await().atMost(PATIENCE).until(() -> atThree.getCount() == 0);

        CompletableFuture<Void> stopping = CompletableFuture.runAsync(first::stop);
        await().pollDelay(Duration.ofMillis(50)).until(() -> !stopping.isDone());
        goOn.countDown();
        stopping.join();

        assertThat(first.isRunning()).isFalse();
        assertThat(handled).containsExactly("1", "2", "3");
        assertThat(topic.committed()).containsEntry(0, 3L);
        topic.start(topic.consumer().handler(event -> handled.add(body(event))));
        await().atMost(PATIENCE).until(topic::isAllCommitted);
        assertThat(handled).containsExactly("1", "2", "3", "4", "5", "6");
    }

    @Test
    void handlerThatDoesNotReturnIsInterruptedByAStopAndItsRecordComesAgain() {
        topic = new ConsumedTopic(1);
        topic.send("a", "1", "2");
        CountDownLatch atTwo = new CountDownLatch(1);
        KafkaEventConsumer first = topic.start(topic.consumer()
                .settings(ConsumedTopic.settings("consumer", 0)
                        .drainTimeout(Duration.ofMillis(300))
                        .build())
                .handler(event -> {
                    if (body(event).equals("2")) {
                        atTwo.countDown();
                        Thread.sleep(Duration.ofMinutes(5).toMillis());
                    }
                }));
        await().atMost(PATIENCE).until(() -> atTwo.getCount() == 0);

        first.stop();

        await().atMost(PATIENCE).until(() -> !first.isRunning());
        assertThat(topic.committed()).containsEntry(0, 1L);
        topic.start(topic.consumer().handler(event -> handled.add(body(event))));
        await().atMost(PATIENCE).until(topic::isAllCommitted);
        assertThat(handled).containsExactly("2");
    }

    @Test
    void groupWhosePlaceIsGoneGoesOnWithTheOldestThatIsThere() throws Exception {
        topic = new ConsumedTopic(1);
        topic.send("a", "1");
        KafkaEventConsumer first = topic.start(topic.consumer().handler(event -> handled.add(body(event))));
        await().atMost(PATIENCE).until(topic::isAllCommitted);
        first.stop();
        topic.send("a", "2", "3", "4");
        topic.admin()
                .deleteRecords(Map.of(new TopicPartition(topic.name(), 0), RecordsToDelete.beforeOffset(2)))
                .all()
                .get();

        topic.start(topic.consumer().settings(ConsumerSettings.defaults()).handler(event -> handled.add(body(event))));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).as("though a new group would begin at the end").containsExactly("1", "3", "4");
    }

    @Test
    void recordThatIsNoCloudEventGoesToTheDeadLetterTopicInTheOrderOfItsKey() {
        topic = new ConsumedTopic(1);
        topic.send("a", "1");
        topic.sendPlain("a", "not an event");
        topic.send("a", "2");
        topic.sendPlain("a", "nor this");

        topic.start(topic.consumer().handler(event -> handled.add(body(event))));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).containsExactly("1", "2");
        List<ConsumerRecord<String, byte[]>> letters = topic.deadLetters(2);
        assertThat(letters)
                .extracting(letter -> new String(letter.value(), UTF_8))
                .containsExactly("not an event", "nor this");
        assertThat(header(letters.get(0), "postrider-dlq-message"))
                .isEqualTo("The record is no CloudEvent: it has neither a header ce_specversion nor the content-type"
                        + " application/cloudevents+json.");
        assertThat(header(letters.get(0), "postrider-dlq-attempts")).isEqualTo("0");
    }

    @Test
    void recordThatIsNoCloudEventGoesToItsOwnHandlerIfThereIsOne() {
        topic = new ConsumedTopic(1);
        topic.send("a", "1");
        topic.sendPlain("a", "plain");
        topic.send("a", "2");
        AtomicInteger attempts = new AtomicInteger();

        topic.start(topic.consumer()
                .batchHandler(events -> events.forEach(event -> handled.add(body(event))))
                .otherRecords(record -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    handled.add(new String(record.value(), UTF_8));
                }));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).containsExactly("1", "plain", "2");
    }

    @Test
    void handlerGetsTheWholeEventInEitherContentMode() {
        topic = new ConsumedTopic(1);
        topic.send(ContentMode.BINARY, "a", "{ \"n\" : 1.50 }");
        topic.send(ContentMode.STRUCTURED, "a", "{ \"n\" : 1.50 }");
        List<ReceivedEvent> events = new CopyOnWriteArrayList<>();

        topic.start(topic.consumer().handler(events::add));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(events).hasSize(2).allSatisfy(event -> {
            assertThat(event.id()).hasSize(36);
            assertThat(event.type()).isEqualTo(ConsumedTopic.TYPE);
            assertThat(event.source()).isEqualTo("shop");
            assertThat(event.aggregateType()).isEqualTo("order");
            assertThat(event.aggregateId()).isEqualTo("a");
            assertThat(event.key()).isEqualTo("a");
            assertThat(event.payload().text()).isEqualTo("{ \"n\" : 1.50 }");
            assertThat(event.payload().isJson()).isTrue();
            assertThat(event.extensions()).isEqualTo(Map.of("partitionkey", "a"));
            assertThat(event.traceparent()).isEqualTo(ConsumedTopic.TRACE);
            assertThat(event.tracestate()).isEqualTo("vendor=1");
            assertThat(event.headers()).containsEntry("tenant", "t-1").doesNotContainKey("content-type");
            assertThat(event.origin().topic()).isEqualTo(topic.name());
        });
        assertThat(events.get(1).origin().offset()).isEqualTo(1);
    }

    @Test
    void outageOfTheHandlersDatabaseCostsNoRecordItsRetries() {
        topic = new ConsumedTopic(2);
        topic.sendMany(20, 5);
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger outages = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();

        topic.start(topic.consumer()
                .settings(ConsumedTopic.settings("consumer", 0).build())
                .listener(new ConsumerListener() {
                    @Override
                    public void outage(Throwable error) {
                        if (outages.incrementAndGet() == 2) {
                            down.set(false);
                        }
                    }
                })
                .handler(event -> {
                    calls.incrementAndGet();
                    if (down.get()) {
                        throw new IllegalStateException(new SQLTransientConnectionException("no connection"));
                    }
                    handled.add(body(event));
                }));
        await().atMost(PATIENCE).until(topic::isAllCommitted);

        assertThat(handled).hasSize(20).doesNotHaveDuplicates();
        assertThat(calls)
                .as("one call each time it is tried, not one for each record")
                .hasValue(22);
    }

    @Test
    void settingsThatWouldBreakThePromisesAreRefused() {
        topic = new ConsumedTopic(1);
        KafkaEventConsumer.Builder builder = topic.consumer();

        assertThatThrownBy(() -> builder.property("enable.auto.commit", "true"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("enable.auto.commit=true");
        assertThatThrownBy(builder::build)
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("handler(..)");
        assertThatThrownBy(() -> builder.handler(event -> {})
                        .property("fetch.min.bytes", "many")
                        .build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("fetch.min.bytes");
        assertThatThrownBy(() -> ConsumerSettings.builder().batchSize(0).build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("batch-size");
    }

    private void setDeadLetterMessageSize(String bytes) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name() + ".dlq");
        Collection<AlterConfigOp> change =
                List.of(new AlterConfigOp(new ConfigEntry("max.message.bytes", bytes), AlterConfigOp.OpType.SET));
        topic.admin().incrementalAlterConfigs(Map.of(resource, change)).all().get();
    }

    /** Of bodies that count up, on so many keys in turn. */
    static void assertInOrderPerKey(List<String> bodies, int keys) {
        for (int key = 0; key < keys; key++) {
            int one = key;
            assertThat(bodies.stream().map(Integer::parseInt).filter(body -> body % keys == one))
                    .as("key-" + key)
                    .isSorted();
        }
    }

    static String body(ReceivedEvent event) {
        return event.payload().text();
    }
}
