package dev.postrider.tests.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TopicRouting;
import dev.postrider.tests.support.TestTopics;
import io.cloudevents.CloudEvent;
import io.cloudevents.kafka.CloudEventDeserializer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The Kafka publisher against a real broker. */
class KafkaPublisherTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private final TestTopics topics = new TestTopics("publisher");
    private KafkaPublisher publisher = builder().build();

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void binaryModeIsReadByTheCloudEventsLibrary() throws Exception {
        OutboxEvent event = event("{ \"amount\" : 1.50 }");

        assertThat(send(event)).isInstanceOf(PublishResult.Accepted.class);

        ConsumerRecord<String, CloudEvent> record =
                topics.read("transfer-events", new CloudEventDeserializer(), 1).get(0);
        assertThat(record.key()).isEqualTo("account-7");
        assertThat(text(record, "traceparent")).isEqualTo(TRACE);
        CloudEvent cloudEvent = record.value();
        assertThat(cloudEvent.getId()).isEqualTo(event.id().toString());
        assertThat(cloudEvent.getType()).isEqualTo("acme.transfer.completed.v1");
        assertThat(cloudEvent.getSource()).hasToString("payments");
        assertThat(cloudEvent.getTime().toInstant()).isEqualTo(event.occurredAt());
        assertThat(cloudEvent.getDataContentType()).isEqualTo("application/json");
        assertThat(cloudEvent.getExtension("partitionkey")).isEqualTo("account-7");
        assertThat(cloudEvent.getExtension("aggregatetype")).isEqualTo("account");
        assertThat(new String(cloudEvent.getData().toBytes(), UTF_8)).isEqualTo("{ \"amount\" : 1.50 }");
    }

    @Test
    void structuredModeIsReadByTheCloudEventsLibrary() throws Exception {
        use(builder().contentMode(ContentMode.STRUCTURED));

        send(event("{\"amount\":1}"));
        send(OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "account-7")
                .payload(Payload.bytes(new byte[] {1, 2, 3}, "application/avro"))
                .build());

        List<ConsumerRecord<String, CloudEvent>> records =
                topics.read("transfer-events", new CloudEventDeserializer(), 2);
        assertThat(text(records.get(0), "content-type")).startsWith("application/cloudevents+json");
        assertThat(new String(records.get(0).value().getData().toBytes(), UTF_8))
                .isEqualTo("{\"amount\":1}");
        assertThat(records.get(0).value().getSource()).hasToString("payments");
        assertThat(records.get(1).value().getData().toBytes()).containsExactly(1, 2, 3);
        assertThat(records.get(1).value().getSource()).hasToString("postrider");
    }

    @Test
    void bodyCarriesItsIdIfAskedFor() throws Exception {
        use(builder().bodyIdField("messageId"));
        List<String> bodies = List.of("{\"a\":1}", " { } ", "{\"messageId\":\"mine\"}", "[1]");
        List<OutboxEvent> events =
                bodies.stream().map(KafkaPublisherTest::event).toList();

        for (OutboxEvent event : events) {
            send(event);
        }

        List<String> received = new ArrayList<>();
        for (ConsumerRecord<String, byte[]> record : topics.read("transfer-events", new ByteArrayDeserializer(), 4)) {
            received.add(new String(record.value(), UTF_8));
        }
        assertThat(received)
                .containsExactly(
                        "{\"messageId\":\"" + events.get(0).id() + "\",\"a\":1}",
                        " {\"messageId\":\"" + events.get(1).id() + "\" } ",
                        "{\"messageId\":\"" + events.get(2).id() + "\"}",
                        "[1]");
    }

    @Test
    void headersCannotPassForAttributes() throws Exception {
        OutboxEvent event = OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "account-7")
                .json("{}")
                .header("ce_id", "forged")
                .header("Content-Type", "text/html")
                .header("tenant", "t-1")
                .build();

        send(event);

        ConsumerRecord<String, CloudEvent> record =
                topics.read("transfer-events", new CloudEventDeserializer(), 1).get(0);
        assertThat(record.value().getId()).isEqualTo(event.id().toString());
        assertThat(record.headers().headers("ce_id")).hasSize(1);
        assertThat(record.value().getDataContentType()).isEqualTo("application/json");
        assertThat(text(record, "tenant")).isEqualTo("t-1");
    }

    @Test
    void eventTooLargeForTheProducerIsRejectedForGoodAndTheNextIsAccepted() throws Exception {
        assertThat(send(event("\"" + "x".repeat(2_000_000) + "\"")))
                .isInstanceOfSatisfying(PublishResult.Rejected.class, rejected -> {
                    assertThat(rejected.permanent()).isTrue();
                    assertThat(rejected.reason()).contains("RecordTooLarge");
                });
        assertThat(send(event("{}"))).isInstanceOf(PublishResult.Accepted.class);
    }

    @Test
    void eventTooLargeForTheTopicStopsTheLineBeforeLaterOnesAreAccepted() throws Exception {
        topics.create("transfer-events", 1, "max.message.bytes", "10000");
        for (int round = 0; round < 20; round++) {
            // Smaller each time: the size of the last one would be refused without asking the broker.
            String large = largeJson(50_000 - 1_000 * round);
            List<String> bodies = new ArrayList<>(Collections.nCopies(200, "\"after\""));
            bodies.add(0, large);
            if (round % 2 == 0) {
                bodies.add(0, "\"before\"");
            }

            List<CompletableFuture<PublishResult>> answers = publishInOrder(bodies);

            int first = bodies.indexOf(large);
            for (CompletableFuture<PublishResult> later : answers.subList(first, answers.size())) {
                assertThat(get(later)).isNotInstanceOf(PublishResult.Accepted.class);
            }
            assertThat(send(event("\"stopped\""))).isInstanceOf(PublishResult.Unresolved.class);
            publisher.resume();
        }

        assertThat(send(event(largeJson(20_000))))
                .isInstanceOfSatisfying(
                        PublishResult.Rejected.class,
                        rejected -> assertThat(rejected.permanent()).isTrue());
        publisher.resume();
        assertThat(send(event("\"end\""))).isInstanceOf(PublishResult.Accepted.class);
        List<ConsumerRecord<String, byte[]>> all = topics.readUntil(
                "transfer-events",
                new ByteArrayDeserializer(),
                record -> new String(record.value(), UTF_8).equals("\"end\""));
        assertThat(all)
                .extracting(record -> new String(record.value(), UTF_8))
                .as("nothing that was sent after a failed event of its key")
                .doesNotContain("\"after\"", "\"stopped\"");
    }

    @Test
    void manyEventsTooLargeForTheTopicStopThePipelineOnce() throws Exception {
        topics.create("transfer-events", 1, "max.message.bytes", "10000");
        assertThat(send(event(largeJson(50_000)))).isInstanceOf(PublishResult.Rejected.class);
        publisher.resume();

        for (int i = 0; i < 100; i++) {
            assertThat(send(event(largeJson(50_000 + i))))
                    .isInstanceOfSatisfying(PublishResult.Rejected.class, rejected -> {
                        assertThat(rejected.permanent()).isTrue();
                        assertThat(rejected.errorClass()).isEqualTo("RecordTooLargeException");
                    });
            assertThat(send(event("{}"))).isInstanceOf(PublishResult.Accepted.class);
        }
    }

    @Test
    void producerThatCompressesLetsTheBrokerJudgeEverySize() throws Exception {
        topics.create("transfer-events", 1, "max.message.bytes", "10000");
        use(builder().property("compression.type", "gzip"));
        byte[] noise = new byte[20_000];
        new Random(1).nextBytes(noise);
        assertThat(send(event("\"" + HexFormat.of().formatHex(noise) + "\"")))
                .isInstanceOf(PublishResult.Rejected.class);
        publisher.resume();

        assertThat(send(event(largeJson(50_000)))).isInstanceOf(PublishResult.Accepted.class);
    }

    /** As a relay sends whose clock is ahead: brokers accept an hour. */
    public static final class ClockAhead implements ProducerInterceptor<byte[], byte[]> {
        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            boolean onTime = new String(record.value(), UTF_8).contains("on time");
            long time = System.currentTimeMillis() + (onTime ? 0 : 2 * 3_600_000);
            return new ProducerRecord<>(
                    record.topic(), record.partition(), time, record.key(), record.value(), record.headers());
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    @Test
    void relayWhoseClockIsAheadKillsNoEvent() throws Exception {
        topics.create("transfer-events", 1);
        use(builder()
                .property("interceptor.classes", ClockAhead.class.getName())
                .property("linger.ms", "300"));

        assertThat(send(event("{}"))).isInstanceOf(PublishResult.Unavailable.class);
        publisher.resume();
        List<CompletableFuture<PublishResult>> answers =
                publishInOrder(List.of("\"on time\"", "\"ahead\"", "\"ahead\"", "\"on time\""));

        for (CompletableFuture<PublishResult> answer : answers) {
            assertThat(get(answer)).isNotInstanceOf(PublishResult.Rejected.class);
        }
    }

    private static String largeJson(int size) {
        return "\"" + "x".repeat(size) + "\"";
    }

    @Test
    void unreachableBrokersAreUnavailableNotTheEventsFault() throws Exception {
        use(KafkaPublisher.builder("localhost:1")
                .property("max.block.ms", "200")
                .routing(topics.routing()));

        assertThat(send(event("{}"))).isInstanceOf(PublishResult.Unavailable.class);
    }

    @Test
    void namesThatDoNotResolveAreUnavailableNotTheEventsFault() throws Exception {
        use(KafkaPublisher.builder("no-such-host.invalid:9092").routing(topics.routing()));

        assertThat(send(event("{}"))).isInstanceOf(PublishResult.Unavailable.class);
    }

    @Test
    void settingsThatWouldBreakThePromisesAreRefused() {
        assertThatThrownBy(() -> builder().property("acks", "1"))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("acks=1");
        assertThatThrownBy(() -> KafkaPublisher.builder("nonsense"))
                .isInstanceOf(PostriderException.class)
                .hasMessage("The bootstrap servers of Kafka are [nonsense]; they must be host:port, or several of them"
                        + " separated by commas.");
        assertThatThrownBy(() -> builder().property("linger.ms", "soon").build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("linger.ms");
    }

    @Test
    void topicComesFromTheTypeUnlessARouteSaysOtherwise() {
        TopicRouting routing = TopicRouting.byConvention().route("product.viewed", "product-view-events");

        assertThat(routing.topicOf("acme.order.paid.v1")).isEqualTo("order-events");
        assertThat(routing.topicOf("acme.product.viewed.v2")).isEqualTo("product-view-events");
        assertThat(routing.topicOf("acme.product.viewedtwice.v2")).isEqualTo("product-events");
        for (String unroutable : List.of("paid", "acme.", "acme..v1", "acme.or der.paid")) {
            assertThatThrownBy(() -> routing.topicOf(unroutable))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("[" + unroutable + "]");
        }
    }

    @Test
    void eventsOfAProducerWhoseThreadHasDiedAreUnavailableAndTheNextOneGoesOn() throws Exception {
        use(builder()
                .property("interceptor.classes", FatalAcknowledgement.class.getName())
                .property("request.timeout.ms", "1000")
                .property("delivery.timeout.ms", "2000"));
        assertThat(send(event("1"))).isInstanceOf(PublishResult.Accepted.class);
        FatalAcknowledgement.strikeOnce();
        CompletableFuture<PublishResult> first = publish(event("2"));
        CompletableFuture<PublishResult> second = publish(event("3"));

        await().until(() -> {
            publisher.expireOverdue();
            return first.isDone() && second.isDone();
        });

        assertThat(get(first))
                .isInstanceOfSatisfying(
                        PublishResult.Unavailable.class,
                        unavailable -> assertThat(unavailable.errorClass()).isEqualTo("NoAnswer"));
        assertThat(get(second)).isInstanceOf(PublishResult.Unavailable.class);
        assertThat(send(event("4"))).as("before the relay has taken note").isInstanceOf(PublishResult.Unresolved.class);
        publisher.resume();
        assertThat(send(event("5"))).isInstanceOf(PublishResult.Accepted.class);
    }

    private KafkaPublisher.Builder builder() {
        return KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .property("linger.ms", "0");
    }

    private void use(KafkaPublisher.Builder builder) {
        publisher.close();
        publisher = builder.build();
    }

    private CompletableFuture<PublishResult> publish(OutboxEvent event) {
        return publisher.publish(event, publisher.destination(event)).toCompletableFuture();
    }

    /** As the relay does: closely after each other only where the publisher says so, nothing after a failure. */
    private List<CompletableFuture<PublishResult>> publishInOrder(List<String> bodies) throws Exception {
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        for (String body : bodies) {
            OutboxEvent event = event(body);
            if (!answers.isEmpty() && !publisher.mayFollowInFlight(event, publisher.destination(event))) {
                PublishResult last = get(answers.get(answers.size() - 1));
                if (!(last instanceof PublishResult.Accepted)) {
                    break;
                }
            }
            answers.add(publish(event));
        }
        return answers;
    }

    private PublishResult send(OutboxEvent event) throws Exception {
        return get(publish(event));
    }

    private static PublishResult get(CompletableFuture<PublishResult> answer) throws Exception {
        return answer.get(60, TimeUnit.SECONDS);
    }

    private static String text(ConsumerRecord<?, ?> record, String header) {
        return new String(record.headers().lastHeader(header).value(), UTF_8);
    }

    private static OutboxEvent event(String json) {
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .aggregate("account", "account-7")
                .source("payments")
                .json(json)
                .header("traceparent", TRACE)
                .occurredAt(Instant.parse("2026-01-02T03:04:05.678901Z"))
                .build();
    }
}
