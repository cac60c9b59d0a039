package dev.postrider.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.tests.support.TestDatabase;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a relay process tells over HTTP, asked as Prometheus and Kubernetes do. */
class RelayHttpTest {
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
            RelayHttp http = new RelayHttp(relay);
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.shipment.sent.v1', 'shipment', '42', '{}')");

            await().untilAsserted(() -> assertThat(http.ask("/metrics").body())
                    .contains("outbox_process_latency_seconds_count{outbox=\"outbox\"} 1", "outbox_pending_count{"));
            assertThat(http.ask("/readyz").statusCode()).isEqualTo(200);
            assertThat(http.ask("/readyz/outbox").statusCode()).isEqualTo(200);
            assertThat(http.ask("/livez").statusCode()).isEqualTo(200);
            assertThat(http.ask("/").statusCode()).isEqualTo(404);
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
            RelayHttp http = new RelayHttp(relay);
            await().untilAsserted(() -> assertThat(http.ask("/readyz").body()).contains("cannot be used"));

            HttpResponse<String> ready = http.ask("/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            JsonNode outbox = JsonMapper.shared().readTree(ready.body()).at("/outboxes/outbox");
            assertThat(outbox.get("relay").stringValue()).isEqualTo("waiting");
            assertThat(outbox.get("reason").stringValue())
                    .contains("127.0.0.1:1")
                    .doesNotContain("secret");
            assertThat(http.ask("/livez").statusCode()).isEqualTo(200);
            assertThat(relay.terminate()).as(relay.err()).isZero();
        }
    }
}
