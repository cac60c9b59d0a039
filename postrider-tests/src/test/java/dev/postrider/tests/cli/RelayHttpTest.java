package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.tests.support.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a relay process tells over HTTP, asked as Prometheus and Kubernetes do. */
class RelayHttpTest {
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+) answers");

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    @Test
    void relayTellsItsMetricsAndThatItIsReady() throws Exception {
        try (TestDatabase database = TestDatabase.withOutbox();
                CommandProcess relay = CommandProcess.start(
                        directory,
                        Map.of(
                                "POSTRIDER_DB_URL", database.jdbcUrl(),
                                "POSTRIDER_DB_USER", database.user(),
                                "POSTRIDER_DB_PASSWORD", database.password()),
                        "relay",
                        "--destination",
                        "log",
                        "--http",
                        "0")) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.shipment.sent.v1', 'shipment', '42', '{}')");

            await().untilAsserted(() -> assertThat(ask(relay, "/metrics").body())
                    .contains("outbox_process_latency_seconds_count{outbox=\"outbox\"} 1", "outbox_pending_count{"));
            assertThat(ask(relay, "/readyz").statusCode()).isEqualTo(200);
            assertThat(ask(relay, "/readyz/outbox").statusCode()).isEqualTo(200);
            assertThat(ask(relay, "/livez").statusCode()).isEqualTo(200);
            assertThat(ask(relay, "/").statusCode()).isEqualTo(404);
            assertThat(relay.terminate()).as(relay.err()).isZero();
        }
    }

    @Test
    void relayThatWaitsForItsDatabaseIsAliveAndSaysWhyItIsNotReady() throws Exception {
        try (CommandProcess relay = CommandProcess.start(
                directory,
                Map.of("POSTRIDER_DB_URL", "jdbc:postgresql://127.0.0.1:1/app?password=secret"),
                "relay",
                "--destination",
                "log",
                "--http",
                "0")) {
            await().untilAsserted(() -> assertThat(ask(relay, "/readyz").body()).contains("cannot be used"));

            HttpResponse<String> ready = ask(relay, "/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            JsonNode outbox = JsonMapper.shared().readTree(ready.body()).at("/outboxes/outbox");
            assertThat(outbox.get("relay").stringValue()).isEqualTo("waiting");
            assertThat(outbox.get("reason").stringValue())
                    .contains("127.0.0.1:1")
                    .doesNotContain("secret");
            assertThat(ask(relay, "/livez").statusCode()).isEqualTo(200);
            assertThat(relay.terminate()).as(relay.err()).isZero();
        }
    }

    private HttpResponse<String> ask(CommandProcess relay, String path) throws Exception {
        await().until(() -> ADDRESS.matcher(relay.err()).find());
        Matcher address = ADDRESS.matcher(relay.err());
        assertThat(address.find()).isTrue();
        URI uri = URI.create("http://127.0.0.1:" + address.group(1) + path);
        return client.send(
                HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
