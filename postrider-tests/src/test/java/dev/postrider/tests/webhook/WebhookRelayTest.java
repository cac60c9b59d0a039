package dev.postrider.tests.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay on a real database and a server whose paths say how they answer. */
class WebhookRelayTest {
    private final List<String> arrived = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private ExecutorService threads;
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        threads = Executors.newCachedThreadPool();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            arrived.add(path + " " + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            switch (path) {
                case "/slow" -> {
                    over.await();
                    exchange.sendResponseHeaders(204, -1);
                }
                case "/bad" -> exchange.sendResponseHeaders(400, -1);
                case "/busy" -> {
                    exchange.getResponseHeaders().set("Retry-After", "60");
                    exchange.sendResponseHeaders(429, -1);
                }
                default -> exchange.sendResponseHeaders(204, -1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "log"})
    void neitherARequestThatHangsNorOneThatFailsHoldsBackOtherKeys(String mode) {
        try (TestDatabase database = outbox(mode);
                Relay relay = relay(database, webhook())) {
            relay.start();
            insert(database, "slow", "slow-key", 1);
            await().until(() -> arrived.contains("/slow 1"));
            insert(database, "bad", "bad-key", 2);
            await().until(() -> arrived.contains("/bad 2"));

            for (int body = 3; body <= 52; body++) {
                insert(database, "good", "key-" + body % 7, body);
            }

            // The request that hangs would do so for a minute.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> arrived.stream()
                                    .filter(one -> one.startsWith("/good"))
                                    .distinct()
                                    .count()
                            == 50);
            assertThat(arrived.stream().filter(one -> one.startsWith("/good"))).hasSize(50);
            assertThat(arrived.stream().filter(one -> one.startsWith("/slow"))).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "log"})
    void oneOfThreeUrlsThatHangsHoldsBackItsOwnKeysOnly(String mode) {
        WebhookPublisher.Builder urls = WebhookPublisher.builder().content(WebhookContent.BINARY);
        for (String path : List.of("slow", "good", "fine")) {
            urls.route(path, "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path);
        }
        WebhookPublisher webhook = urls.timeout(Duration.ofSeconds(2))
                .openFor(Duration.ofSeconds(1))
                .build();
        try (TestDatabase database = outbox(mode);
                Relay relay = relay(database, webhook)) {
            // One transaction, all of them ahead of the others.
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.slow.v1', 'a', 'slow-' || n % 200, n::text::json from generate_series(1, 400) n");
            for (int body = 1001; body <= 1100; body++) {
                insert(database, body % 2 == 0 ? "good" : "fine", "key-" + body % 7, body);
            }
            relay.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> arrivedAt("/good") + arrivedAt("/fine") == 100);
            await().atMost(Duration.ofMinutes(1)).until(() -> !webhook.blocked().isEmpty());
            assertThat(arrivedAt("/slow"))
                    .as("trials, and what was out at first")
                    .isLessThan(200);

            over.countDown();
            await().atMost(Duration.ofMinutes(1)).until(() -> arrivedAt("/slow") == 400);
            await().atMost(Duration.ofMinutes(1)).until(() -> webhook.blocked().isEmpty());
        }
        assertThat(arrived.stream().filter(one -> one.startsWith("/good")).distinct())
                .hasSize(50);
        for (int key = 0; key < 200; key++) {
            String first = "/slow " + (key == 0 ? 200 : key);
            String second = "/slow " + (key == 0 ? 400 : key + 200);
            assertThat(arrived.indexOf(first)).isLessThan(arrived.indexOf(second));
        }
    }

    private long arrivedAt(String path) {
        return arrived.stream()
                .filter(one -> one.startsWith(path + " "))
                .distinct()
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "log"})
    void eventWaitsAsLongAsTheServerAsksAndLosesNoRetry(String mode) {
        try (TestDatabase database = outbox(mode);
                Relay relay = relay(database, webhook())) {
            relay.start();
            insert(database, "busy", "key", 1);
            insert(database, "busy", "key", 2);

            String table = mode.equals("log") ? "outbox_parked" : "outbox";
            String state = mode.equals("log") ? "state" : "status";
            await().until(() -> database.column("select " + state + " || ' ' || attempts || ' '"
                            + " || (next_attempt_at > clock_timestamp() + interval '40 s')"
                            + " from " + table + " where next_attempt_at is not null")
                    .equals(List.of("FAILED 0 true")));
            assertThat(arrived).containsExactly("/busy 1");
        }
    }

    @Test
    void outboxThatDeliversExactlyOnceRefusesThem() {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE))) {
            for (Publisher publisher : List.of(webhook(), Slf4jPublisher.withoutPayloads())) {
                try (Relay relay = relay(database, publisher)) {
                    assertThatThrownBy(relay::start)
                            .isInstanceOf(PostriderException.class)
                            .hasMessageContaining("delivers exactly once")
                            .hasMessageContaining(publisher.getClass().getSimpleName() + " is not")
                            .hasMessageContaining("Kafka");
                }
            }
        }
    }

    private static TestDatabase outbox(String mode) {
        return TestDatabase.withOutbox(mode.equals("log") ? OutboxLayout.log(2) : OutboxLayout.claim());
    }

    private WebhookPublisher webhook() {
        WebhookPublisher.Builder builder = WebhookPublisher.builder().content(WebhookContent.BINARY);
        for (String path : List.of("slow", "bad", "busy", "good")) {
            builder.route(path, "http://127.0.0.1:" + server.getAddress().getPort() + "/" + path);
        }
        return builder.timeout(Duration.ofMinutes(1)).build();
    }

    private static Relay relay(TestDatabase database, Publisher publisher) {
        return Relay.builder(database.dataSource(), publisher)
                .settings(RelaySettings.builder()
                        .name("relay")
                        .batchSize(10)
                        .pollInterval(Duration.ofMillis(20))
                        .drainTimeout(Duration.ofMillis(100))
                        .leaseLength(Duration.ofMinutes(1))
                        .retry(new Backoff(Duration.ofMillis(100), 1, Duration.ofMillis(100), 0, 1000))
                        .build())
                .build();
    }

    private static void insert(TestDatabase database, String type, String key, int body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)" + " values ('acme."
                + type + ".v1', 'a', '" + key + "', '" + body + "')");
    }
}
