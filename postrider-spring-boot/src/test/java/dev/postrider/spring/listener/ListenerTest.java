package dev.postrider.spring.listener;

import static dev.postrider.spring.listener.EventsTopic.event;
import static dev.postrider.spring.listener.EventsTopic.header;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.devservices.DevKafka;
import dev.postrider.failure.Backoff;
import dev.postrider.kafka.ContentMode;
import dev.postrider.kafka.consume.ConsumerSettings;
import dev.postrider.kafka.consume.KafkaEventConsumer;
import dev.postrider.kafka.consume.ReceivedEvent;
import dev.postrider.kafka.consume.StartAt;
import dev.postrider.spring.PostriderListener;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.messaging.handler.annotation.Header;

/** Events from a real broker, handled by methods of beans. */
class ListenerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int POISON = 42;

    /** Bodies 0 to 99, on ten keys. */
    private static void sendHundred(EventsTopic topic) {
        topic.send(IntStream.range(0, 100)
                .mapToObj(n -> event("key-" + n % 10, String.valueOf(n)).build())
                .toArray(OutboxEvent[]::new));
    }

    private static List<Integer> withoutPoison() {
        return IntStream.range(0, 100).filter(n -> n != POISON).boxed().toList();
    }

    private static void assertPoisonIsDeadAndPassed(EventsTopic topic) {
        List<ConsumerRecord<String, String>> letters = topic.deadLetters(1);
        await().atMost(LONG).until(topic::isAllCommitted);
        assertThat(letters).hasSize(1);
        ConsumerRecord<String, String> letter = letters.get(0);
        assertThat(letter.key()).isEqualTo("key-2");
        assertThat(letter.value()).isEqualTo(String.valueOf(POISON));
        assertThat(header(letter, "ce_type")).isEqualTo("shop.order.paid");
        assertThat(header(letter, "postrider-dlq-exception")).isEqualTo(IllegalStateException.class.getName());
        assertThat(header(letter, "postrider-dlq-message")).isEqualTo("no such product");
        assertThat(header(letter, "postrider-dlq-attempts")).isEqualTo("3");
        assertThat(header(letter, "postrider-dlq-topic")).isEqualTo(topic.name());
        assertThat(header(letter, "postrider-dlq-group")).isEqualTo(topic.group());
    }

    static class OneByOne {
        final List<Integer> handled = new CopyOnWriteArrayList<>();

        @PostriderListener("${topic}")
        void on(ReceivedEvent event) {
            handled.add(valid(event));
        }
    }

    private static int valid(ReceivedEvent event) {
        int body = Integer.parseInt(event.payload().text());
        if (body == POISON) {
            throw new IllegalStateException("no such product");
        }
        return body;
    }

    @Test
    void ofAHundredRecordsTheOthersAreHandledOnceAndThePoisonedOneIsADeadLetter() {
        try (EventsTopic topic = new EventsTopic(3)) {
            sendHundred(topic);
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, OneByOne.class).run()) {
                await().atMost(LONG)
                        .until(() -> shop.getBean(OneByOne.class).handled.size() >= 99);
                assertPoisonIsDeadAndPassed(topic);
                assertThat(shop.getBean(OneByOne.class).handled).containsExactlyInAnyOrderElementsOf(withoutPoison());
            }
        }
    }

    /** All or nothing, as in a transaction. */
    static class Together {
        final List<Integer> handled = new CopyOnWriteArrayList<>();
        final List<Integer> sizes = new CopyOnWriteArrayList<>();

        @PostriderListener("${topic}")
        void on(List<ReceivedEvent> events) {
            sizes.add(events.size());
            List<Integer> bodies = new ArrayList<>();
            events.forEach(event -> bodies.add(valid(event)));
            handled.addAll(bodies);
        }
    }

    @Test
    void batchThatFailsIsTakenApartAndTheRestAreHandledOnceAndInOrder() {
        try (EventsTopic topic = new EventsTopic(1)) {
            sendHundred(topic);
            topic.sendPlain(topic.name(), "key-2", "this is no event");
            topic.send(event("key-2", "100").build());
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, Together.class).run()) {
                Together together = shop.getBean(Together.class);
                await().atMost(LONG).until(() -> together.handled.size() >= 100);

                List<ConsumerRecord<String, String>> letters = topic.deadLetters(2);
                assertThat(letters).extracting(ConsumerRecord::value).containsExactly("42", "this is no event");
                assertThat(header(letters.get(1), "postrider-dlq-attempts")).isEqualTo("0");
                List<Integer> expected = new ArrayList<>(withoutPoison());
                expected.add(100);
                await().atMost(LONG).until(topic::isAllCommitted);
                assertThat(together.handled).containsExactlyElementsOf(expected);
                assertThat(together.sizes).anyMatch(size -> size > 1);
            }
        }
    }

    /** Whoever reads dead letter topics need not know who wrote them. */
    @Test
    void deadLettersAreThoseOfThePlainConsumer() {
        try (EventsTopic topic = new EventsTopic(1);
                KafkaEventConsumer plain = KafkaEventConsumer.builder(
                                DevKafka.shared().bootstrapServers(), topic.group() + "-plain")
                        .topics(topic.name())
                        .handler(event -> valid(event))
                        .settings(ConsumerSettings.builder()
                                .startAt(StartAt.EARLIEST)
                                .retry(new Backoff(Duration.ofMillis(50), 1, Duration.ofMillis(50), 0, 2))
                                .build())
                        .build()) {
            topic.send(
                    event("a", String.valueOf(POISON)).header("tenant", "t-1").build());
            plain.start();
            List<ConsumerRecord<String, String>> first = topic.deadLetters(1);
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, OneByOne.class).run()) {
                List<ConsumerRecord<String, String>> both = topic.deadLetters(2);
                assertThat(first).hasSize(1);
                assertThat(both).hasSize(2);
                assertThat(described(both.get(1))).isEqualTo(described(both.get(0)));
                assertThat(shop.getBean(OneByOne.class).handled).isEmpty();
            }
        }
    }

    private static List<String> described(ConsumerRecord<String, String> record) {
        List<String> all = new ArrayList<>(List.of(record.key(), record.value()));
        for (org.apache.kafka.common.header.Header header : record.headers()) {
            boolean group = header.key().equals("postrider-dlq-group");
            all.add(header.key() + "=" + (group ? "" : new String(header.value(), UTF_8)));
        }
        return all;
    }

    record OrderPaid(String order, int number) {}

    static class Typed {
        final List<String> handled = new CopyOnWriteArrayList<>();
        final AtomicInteger notNow = new AtomicInteger();

        @PostriderListener(topics = "${topic}", groupId = "${postrider.listener.group}")
        void on(
                OrderPaid paid,
                @Header("ce_aggregateid") String aggregate,
                @Header(KafkaHeaders.RECEIVED_KEY) String key,
                @Header("tenant") String tenant,
                Acknowledgment acknowledgment) {
            handled.add(paid.order() + paid.number() + " " + aggregate + " " + key + " " + tenant);
            // More often than it would be tried again.
            if (paid.number() == 3 && notNow.incrementAndGet() <= 4) {
                acknowledgment.nack(Duration.ofMillis(10));
            } else if (paid.number() < 10) {
                acknowledgment.acknowledge();
            }
        }
    }

    @Test
    void listenerTakesThePayloadAsItsTypeWithHeadersInBothModesAndMayPutItOff() {
        try (EventsTopic topic = new EventsTopic(1)) {
            topic.send(ContentMode.BINARY, List.of(paid(1)));
            topic.send(ContentMode.STRUCTURED, List.of(paid(2)));
            topic.send(ContentMode.BINARY, List.of(paid(3)));
            topic.send(event("a", "{\"number\": \"secret\"}")
                    .header("tenant", "t-1")
                    .build());
            topic.send(ContentMode.BINARY, List.of(paid(11)));
            try (ConfigurableApplicationContext shop =
                    ListeningShop.on(topic, Typed.class).run()) {
                List<ConsumerRecord<String, String>> letters = topic.deadLetters(2);

                assertThat(shop.getBean(Typed.class).handled)
                        .startsWith("o1 a a t-1", "o2 a a t-1", "o3 a a t-1")
                        .extracting(one -> one.substring(0, one.indexOf(' ')))
                        .containsExactly("o1", "o2", "o3", "o3", "o3", "o3", "o3", "o11", "o11", "o11");
                assertThat(header(letters.get(0), "postrider-dlq-attempts")).isEqualTo("0");
                assertThat(header(letters.get(0), "postrider-dlq-message"))
                        .contains("OrderPaid", "number")
                        .doesNotContain("secret");
                assertThat(header(letters.get(1), "postrider-dlq-message")).contains("without acknowledging");
            }
        }
    }

    private static OutboxEvent paid(int number) {
        return event("a", "{\"order\": \"o\", \"number\": %d}".formatted(number))
                .header("tenant", "t-1")
                .build();
    }

    static class Down {
        final AtomicInteger calls = new AtomicInteger();
        final List<Integer> handled = new CopyOnWriteArrayList<>();

        @PostriderListener("${topic}")
        void on(ReceivedEvent event) throws Exception {
            if (calls.incrementAndGet() <= 1) {
                throw new IllegalStateException(new SQLTransientConnectionException("no connection"));
            }
            handled.add(valid(event));
        }
    }

    @Test
    void nothingAfterARecordIsHandledBeforeItsDeadLetterTopicTakesIt() {
        try (EventsTopic topic = new EventsTopic(1)) {
            topic.limitDeadLetters(1);
            topic.send(
                    event("a", "1").build(),
                    event("a", String.valueOf(POISON)).build(),
                    event("a", "2").build());
            try (ConfigurableApplicationContext shop = ListeningShop.on(topic, OneByOne.class)
                    .properties("postrider.listener.retry.max-retries=0")
                    .run()) {
                OneByOne one = shop.getBean(OneByOne.class);
                await().atMost(LONG).until(() -> topic.committed() == 1);
                assertThat(one.handled).containsExactly(1);

                topic.limitDeadLetters(1_000_000);
                await().atMost(LONG).until(topic::isAllCommitted);
                assertThat(one.handled).containsExactly(1, 2);
                assertThat(topic.deadLetters(1)).hasSize(1);
            }
        }
    }

    /** Committed before it has read anything: otherwise a crash would let it start anew, behind what it has read. */
    @Test
    void newGroupStartsWithWhatArrivesFromNowOnAndCommitsThatAtOnce() {
        try (EventsTopic topic = new EventsTopic(1)) {
            topic.send(event("a", "1").build());
            try (ConfigurableApplicationContext shop = ListeningShop.on(topic, OneByOne.class)
                    .properties("postrider.listener.start-at=latest")
                    .run()) {
                await().atMost(LONG).until(topic::isAllCommitted);
                assertThat(shop.getBean(OneByOne.class).handled).isEmpty();

                topic.send(event("a", "2").build());
                await().atMost(LONG)
                        .until(() -> !shop.getBean(OneByOne.class).handled.isEmpty());
                assertThat(shop.getBean(OneByOne.class).handled).containsExactly(2);
            }
        }
    }

    @Test
    void outageOfTheDatabaseCostsNoRetry() {
        try (EventsTopic topic = new EventsTopic(1)) {
            topic.send(event("a", "1").build());
            try (ConfigurableApplicationContext shop = ListeningShop.on(topic, Down.class)
                    .properties("postrider.listener.retry.max-retries=0")
                    .run()) {
                await().atMost(LONG).until(topic::isAllCommitted);
                assertThat(shop.getBean(Down.class).handled).containsExactly(1);
            }
        }
    }
}
