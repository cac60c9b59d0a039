package dev.postrider.tests.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.groups.Tuple.tuple;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.admin.AuditEntry;
import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.admin.ReplayScope.OfAggregate;
import dev.postrider.admin.ReplayStoppedException;
import dev.postrider.devservices.DevKafka;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.TestTopics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Published events, sent once more. */
@ParameterizedClass
@EnumSource
class ReplayTest {
    private static final OfAggregate A = new OfAggregate("order", "a");

    private static TestDatabase database;

    private final OutboxAdmin admin = OutboxAdmin.builder(database.dataSource()).build();

    @Parameter
    private TestServer server;

    @BeforeParameterizedClassInvocation
    static void start(TestServer server) {
        database = TestDatabase.withOutbox(server);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        database.close();
    }

    @BeforeEach
    void clear() {
        database.clear();
    }

    @Test
    void historyOfAnAggregateGoesToItsTopicOnceMoreInOrderAndMarked() {
        TestTopics topics = new TestTopics("replay");
        topics.create("order-events", 3);
        published("a", 1, 30);
        published("b", 31, 32);
        pending("a", 33);
        String before = rows();

        ReplayReport report = replay(topics, ReplayRequest.of(A));

        assertThat(report).isEqualTo(new ReplayReport(30, 30, true));
        List<ConsumerRecord<String, String>> records = topics.read("order-events", new StringDeserializer(), 30);
        assertThat(records).extracting(ConsumerRecord::value).containsExactlyElementsOf(numbers(1, 30));
        assertThat(records).extracting(ConsumerRecord::key).containsOnly("a");
        assertThat(records.stream().map(record -> header(record, "ce_id")).distinct())
                .containsExactlyElementsOf(database.column(
                        "select event_id from outbox where aggregate_id = 'a' and status = 'PUBLISHED' order by id"));
        List<String> times = records.stream()
                .map(record -> header(record, ReplayRequest.HEADER))
                .distinct()
                .toList();
        assertThat(times).hasSize(1);
        assertThat(Duration.between(Instant.parse(times.get(0)), admin.databaseTime()))
                .isBetween(Duration.ZERO, Duration.ofMinutes(5));
        assertThat(rows()).isEqualTo(before);
        assertThat(admin.audit(10))
                .extracting(AuditEntry::actor, AuditEntry::action, AuditEntry::selector, AuditEntry::affected)
                .containsExactly(tuple("ann@desk", "replay", "aggregate order/a", 30L));
    }

    @Test
    void anotherTopicGetsEverythingThatWasWrittenBetweenTwoTimes() {
        TestTopics topics = new TestTopics("replay");
        topics.create("elsewhere", 1);
        published("a", 1, 2);
        published("b", 3, 4);
        published("c", 5, 6);
        // Not every id is given to a row.
        List<String> ids = database.column("select id from outbox order by id");
        for (int n = 1; n <= 6; n++) {
            database.execute("update outbox set created_at = " + server.time("2026-01-01T0" + n + ":00:00Z")
                    + " where id = " + ids.get(n - 1));
        }
        ReplayScope between = new ReplayScope.WrittenBetween(
                Instant.parse("2026-01-01T02:00:00Z"), Instant.parse("2026-01-01T06:00:00Z"));

        ReplayRequest request = new ReplayRequest(between, topics.prefix() + "elsewhere", 0);
        assertThat(admin.extent(request).events()).isEqualTo(4);
        assertThat(replay(topics, request)).isEqualTo(new ReplayReport(4, Long.parseLong(ids.get(4)), true));

        List<ConsumerRecord<String, String>> records = topics.read("elsewhere", new StringDeserializer(), 4);
        assertThat(records).extracting(ConsumerRecord::value).containsExactly("2", "3", "4", "5");
        assertThat(records)
                .allSatisfy(record ->
                        assertThat(header(record, ReplayRequest.HEADER)).isNotEmpty());
        assertThat(admin.audit(1).get(0).selector())
                .isEqualTo("written from 2026-01-01T02:00:00Z on and before 2026-01-01T06:00:00Z, to " + topics.prefix()
                        + "elsewhere");
    }

    @Test
    void moreThanAWindowGoesWindowByWindow() {
        published("a", 1, 1_201);
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<String> bodies = new ArrayList<>();
        List<CompletableFuture<PublishResult>> waiting = new ArrayList<>();
        Publisher publisher = new Pipeline(Map.of()) {
            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                bodies.add(event.payload().text());
                most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                CompletableFuture<PublishResult> answer = new CompletableFuture<PublishResult>() {
                    @Override
                    public PublishResult join() {
                        // Answers come only when somebody waits for them.
                        waiting.forEach(one -> one.complete(new PublishResult.Accepted()));
                        waiting.clear();
                        inFlight.set(0);
                        return super.join();
                    }
                };
                waiting.add(answer);
                return answer;
            }
        };

        assertThat(admin.replay(ReplayRequest.of(A), publisher, () -> false, "me"))
                .isEqualTo(new ReplayReport(1_201, 1_201, true));

        assertThat(bodies).containsExactlyElementsOf(numbers(1, 1_201));
        assertThat(most.get()).isBetween(2, 500);
    }

    @Test
    void eventsOfAKeyThatMayNotFollowEachOtherGoOneByOne() {
        published("a", 1, 3);
        List<CompletableFuture<PublishResult>> sent = new ArrayList<>();
        Publisher publisher = new Pipeline(Map.of()) {
            @Override
            public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
                assertThat(sent).allMatch(CompletableFuture::isDone);
                CompletableFuture<PublishResult> answer = new CompletableFuture<PublishResult>() {
                    @Override
                    public PublishResult join() {
                        complete(new PublishResult.Accepted());
                        return super.join();
                    }
                };
                sent.add(answer);
                return answer;
            }

            @Override
            public boolean mayFollowInFlight(OutboxEvent event, String destination) {
                return false;
            }
        };

        assertThat(admin.replay(ReplayRequest.of(A), publisher, () -> false, "me")
                        .sent())
                .isEqualTo(3);
    }

    @Test
    void eventThatIsNotAcceptedStopsTheReplayAndItGoesOnAfterwards() {
        published("a", 1, 5);
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.payload().text().equals("4")
                        ? new PublishResult.Rejected("too large", true)
                        : new PublishResult.Accepted());

        ReplayStoppedException stopped = catchThrowableOfType(
                ReplayStoppedException.class, () -> admin.replay(ReplayRequest.of(A), publisher, () -> false, "me"));

        assertThat(stopped)
                .hasMessageContaining("Row 4 was not accepted: too large.")
                .hasMessageContaining("after 3 events")
                .hasMessageContaining("--after-id 3");
        assertThat(stopped.sent()).isEqualTo(3);
        assertThat(stopped.lastId()).isEqualTo(3);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3");
        assertThat(admin.audit(1).get(0).affected()).isEqualTo(3);

        ReplayRequest leavingItOut = new ReplayRequest(A, null, 4);
        assertThat(admin.replay(leavingItOut, publisher, () -> false, "me")).isEqualTo(new ReplayReport(1, 5, true));
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3", "5");
    }

    @Test
    void howFarItCameCountsOnlyWhatIsAcceptedWithoutAGap() {
        published("a", 1, 1);
        published("b", 2, 2);
        published("c", 3, 3);
        database.execute(
                "update outbox set aggregate_type = 'order', created_at = " + server.time("2026-01-01T00:00:00Z"));
        ReplayScope all = new ReplayScope.WrittenBetween(
                Instant.parse("2026-01-01T00:00:00Z"), Instant.parse("2026-01-02T00:00:00Z"));
        Pipeline publisher = new Pipeline(Map.of("2", new PublishResult.Unavailable("no leader")));

        assertThatThrownBy(() -> admin.replay(ReplayRequest.of(all), publisher, () -> false, "me"))
                .isInstanceOf(ReplayStoppedException.class)
                .hasMessageContaining("Row 2 was not accepted: no leader.")
                .hasMessageContaining("after 2 events")
                .hasMessageContaining("--after-id 1");
        assertThat(publisher.stopped).isTrue();
    }

    @Test
    void rowThatWasChangedIsNotSentNorWhatComesAfterIt() {
        published("a", 1, 3);
        database.execute("update outbox set content_hash = 'other' where id = 3");
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();

        assertThatThrownBy(() -> admin.replay(ReplayRequest.of(A), publisher, () -> false, "me"))
                .isInstanceOf(ReplayStoppedException.class)
                .hasMessageContaining("Row 3 was changed")
                .hasMessageContaining("--after-id 2");
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");
    }

    @Test
    void replayEndsEarlyIfAskedTo() {
        published("a", 1, 501);
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        AtomicInteger asked = new AtomicInteger();

        assertThat(admin.replay(ReplayRequest.of(A), publisher, () -> asked.incrementAndGet() > 1, "me"))
                .isEqualTo(new ReplayReport(500, 500, false));
    }

    @Test
    void replayWithNothingToSendIsNotAudited() {
        assertThat(admin.replay(ReplayRequest.of(A), RecordingPublisher.acceptingAll(), () -> false, "me"))
                .isEqualTo(new ReplayReport(0, 0, true));
        assertThat(admin.audit(10)).isEmpty();
    }

    @Test
    void whatIsPublishedMeanwhileHasNoPartInIt() {
        published("a", 1, 2);
        List<String> bodies = new ArrayList<>();
        RecordingPublisher publisher = RecordingPublisher.answering(event -> {
            bodies.add(event.payload().text());
            if (bodies.size() < 10) {
                published("a", bodies.size() + 100, bodies.size() + 100);
            }
            return new PublishResult.Accepted();
        });

        assertThat(admin.replay(ReplayRequest.of(A), publisher, () -> false, "me")
                        .sent())
                .isEqualTo(2);
    }

    // ---- the small language of this test

    /** Takes everything at once, answers as it was told, and lets events of a key follow each other. */
    private static class Pipeline implements Publisher {
        private final Map<String, PublishResult> answers;
        boolean stopped;

        Pipeline(Map<String, PublishResult> answers) {
            this.answers = new HashMap<>(answers);
        }

        @Override
        public String destination(OutboxEvent event) {
            return "pipeline";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            PublishResult result = answers.getOrDefault(event.payload().text(), new PublishResult.Accepted());
            // Not at once: as from a broker.
            return new CompletableFuture<PublishResult>() {
                @Override
                public PublishResult join() {
                    complete(result);
                    return super.join();
                }
            };
        }

        @Override
        public boolean mayFollowInFlight(OutboxEvent event, String destination) {
            return true;
        }

        @Override
        public void halt() {
            stopped = true;
        }
    }

    private ReplayReport replay(TestTopics topics, ReplayRequest request) {
        try (KafkaPublisher publisher = KafkaPublisher.builder(DevKafka.shared().bootstrapServers())
                .routing(topics.routing())
                .build()) {
            return admin.replay(request, publisher, () -> false, "ann@desk");
        }
    }

    private void published(String id, int from, int to) {
        String body = server == TestServer.POSTGRES ? "to_json(n)" : "cast(n as char)";
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, published_at)"
                + " select 'acme.order.paid.v1', 'order', '" + id + "', " + body + ", 'PUBLISHED', now()"
                + " from " + server.numbers(from, to));
    }

    private static void pending(String id, int body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.order.paid.v1', 'order', '" + id + "', '" + body + "')");
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(String::valueOf).toList();
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private String rows() {
        return String.join("\n", database.column(server.wholeRows()));
    }
}
