package dev.postrider.tests.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.postrider.cli.Operator;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.tests.support.TestDatabase;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code postrider relay} with other destinations than Kafka. */
class DestinationTest {
    @TempDir
    private Path directory;

    private TestDatabase database;
    private Map<String, String> environment;

    @BeforeEach
    void write() {
        database = TestDatabase.withOutbox();
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.shipment.sent.v1', 'shipment', '42', '{\"to\": \"Bern\"}')");
        environment = new HashMap<>(Map.of(
                "POSTRIDER_DB_URL", database.jdbcUrl(),
                "POSTRIDER_DB_USER", DevPostgres.shared().user(),
                "POSTRIDER_DB_PASSWORD", DevPostgres.shared().password()));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void relayPostsToAWebhookAsItIsSet() throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hooks/token", exchange -> {
            try (exchange) {
                String signature = exchange.getRequestHeaders().getFirst("webhook-signature");
                received.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8) + " "
                        + exchange.getRequestHeaders().getFirst("X-Team") + " " + signature.split(" ").length);
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
        String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
        Files.writeString(directory.resolve("secrets"), secret + secret);
        Files.writeString(
                directory.resolve("postrider.yml"),
                "relay: {destination: webhook}\nwebhook:\n  url: http://127.0.0.1:"
                        + server.getAddress().getPort() + "/hooks/token\n"
                        + "  format: discord\n  template: 'Off to {payload.to}: {aggregateId}'\n"
                        + "  headers: {X-Team: blue}\n  secret-file: secrets\n");
        try (CommandProcess relay = CommandProcess.start(directory, environment, "relay")) {
            await().atMost(Duration.ofSeconds(30)).until(() -> !received.isEmpty());
            await().until(() -> database.one("select status from outbox").equals("PUBLISHED"));
            assertThat(relay.terminate()).as(relay.err()).isZero();
            assertThat(relay.err()).doesNotContain("token", "whsec");
        } finally {
            server.stop(0);
        }
        assertThat(received).hasSize(1);
        assertThat(received.get(0)).contains("\"content\":\"Off to Bern: 42\"").endsWith(" blue 2");
    }

    @Test
    void relayWritesToTheLog() throws Exception {
        try (CommandProcess relay = CommandProcess.start(directory, environment, "relay", "--destination", "log")) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> database.one("select status from outbox").equals("PUBLISHED"));
            assertThat(relay.terminate()).isZero();
            assertThat(relay.err())
                    .contains("of type acme.shipment.sent.v1, key 42, 14 bytes")
                    .doesNotContain("Bern");
        }
    }

    @Test
    void publishedEventIsReplayedToTheSameDestination() {
        database.execute("update outbox set status = 'PUBLISHED', published_at = now()");
        Operator operator = new Operator(directory);
        environment.forEach(operator::variable);
        operator.variable("POSTRIDER_RELAY_DESTINATION", "log");

        assertThat(operator.run("replay", "--aggregate", "shipment/42", "--yes"))
                .as(operator.err())
                .isZero();
        assertThat(operator.out()).contains("1 event sent once more");

        assertThat(operator.run("replay", "--aggregate", "shipment/42", "--yes", "--topic", "t"))
                .isEqualTo(2);
        assertThat(operator.err()).contains("--topic is for Kafka");
    }

    @Test
    void whatIsSetWronglyIsSaidInOneLine() {
        assertRefused("webhook.url is needed", Map.of());
        assertRefused(
                "webhook.template is [{who}]",
                Map.of(
                        "POSTRIDER_WEBHOOK_URL", "https://shop.example/token",
                        "POSTRIDER_WEBHOOK_FORMAT", "discord",
                        "POSTRIDER_WEBHOOK_TEMPLATE", "{who}"));
        assertRefused(
                "webhook.secret, number 1 of 1",
                Map.of("POSTRIDER_WEBHOOK_URL", "https://shop.example/token", "POSTRIDER_WEBHOOK_SECRET", "token"));
        assertRefused(
                "no such file",
                Map.of("POSTRIDER_WEBHOOK_URL", "https://shop.example/token", "POSTRIDER_WEBHOOK_SECRET_FILE", "none"));
        assertRefused("webhook.routes.a.b is a text of 5 characters", Map.of("POSTRIDER_WEBHOOK_ROUTES", "a.b=token"));
    }

    private void assertRefused(String part, Map<String, String> more) {
        Operator operator = new Operator(directory);
        environment.forEach(operator::variable);
        more.forEach(operator::variable);
        assertThat(operator.run("relay", "--destination", "webhook")).isEqualTo(2);
        assertThat(operator.err().strip().lines()).hasSize(1);
        assertThat(operator.err()).contains(part).doesNotContain("token");
    }
}
