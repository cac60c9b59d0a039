package dev.postrider.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.RelayState;
import dev.postrider.RelayState.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RelayEndpointsTest {
    private final RelayEndpoints endpoints = new RelayEndpoints();

    @AfterEach
    void close() {
        endpoints.close();
    }

    @Test
    void metricsHaveTheNamesOfThePage() throws IOException {
        List<String> documented = namesOnThePage();
        assertThat(documented)
                .contains(
                        "outbox_pending_count",
                        "outbox_oldest_age_seconds",
                        "outbox_process_latency_seconds_bucket",
                        "outbox_failure_count_total");
        RelayListener metrics = endpoints.metrics("orders");
        metrics.blocked(Map.of("some-topic", "it does not exist"));
        metrics.backlog(7, Duration.ofMillis(2500));
        metrics.failed(event(), "refused", false);
        metrics.published(event(), Duration.ofMillis(40));

        String text = body("/metrics");
        assertThat(documented).allMatch(name -> text.contains("\n" + name + "{"), "is shown by Prometheus' registry");
        assertThat(text)
                .contains("outbox_pending_count{outbox=\"orders\"} 7")
                .contains("outbox_oldest_age_seconds{outbox=\"orders\"} 2.5")
                .contains("outbox_failure_count_total{outbox=\"orders\"} 1")
                .contains("outbox_process_latency_seconds_count{outbox=\"orders\"} 1");
        List<String> shown = text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replaceFirst("[{ ].*", ""))
                .distinct()
                .toList();
        assertThat(documented).containsAll(shown);
    }

    private static OutboxEvent event() {
        return OutboxEvent.builder("acme.order.placed.v1")
                .aggregate("order", "1")
                .json("{}")
                .build();
    }

    /** Last column of the first table. */
    private static List<String> namesOnThePage() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "metrics.md"));
        Pattern name = Pattern.compile("`(outbox_[a-z_]+)`");
        return page.substring(0, page.indexOf("## Consumer"))
                .lines()
                .filter(line -> line.startsWith("| `outbox."))
                .flatMap(line -> name.matcher(line).results().map(found -> found.group(1)))
                .toList();
    }

    @Test
    void readyMeansThatEveryRelayRunsUnderALease() {
        endpoints.add("orders", () -> state(Phase.RUNNING, null, "orders#1"));
        endpoints.add("billing", () -> state(Phase.PAUSED, "paused by ann", "billing#1"));
        assertThat(status("/readyz")).isEqualTo(200);
        assertThat(json("/readyz").at("/outboxes/billing/reason").stringValue()).isEqualTo("paused by ann");

        endpoints.add("returns", () -> state(Phase.WAITING, "no connection", null));
        assertThat(status("/readyz")).isEqualTo(503);
        assertThat(json("/readyz").get("status").stringValue()).isEqualTo("down");
        assertThat(json("/readyz").at("/outboxes/returns/status").stringValue()).isEqualTo("down");
        assertThat(json("/readyz").at("/outboxes/returns/reason").stringValue()).isEqualTo("no connection");
        assertThat(json("/readyz").at("/outboxes/orders/status").stringValue()).isEqualTo("up");
        assertThat(status("/readyz/orders")).isEqualTo(200);
        assertThat(status("/readyz/returns")).isEqualTo(503);

        endpoints.add("orders", () -> state(Phase.RUNNING, "its lease has expired", null));
        assertThat(status("/readyz/orders")).isEqualTo(503);
    }

    /** Restarting the process is no cure for what other processes do. */
    @Test
    void aliveMeansThatNoRelayHasStoppedForGood() {
        for (Phase phase : List.of(Phase.WAITING, Phase.RESTARTING, Phase.RUNNING, Phase.PAUSED, Phase.STOPPED)) {
            endpoints.add("orders", () -> state(phase, "because", null));
            assertThat(status("/livez")).as(phase.name()).isEqualTo(200);
        }
        endpoints.add("orders", () -> stuckFor(Duration.ofSeconds(59)));
        assertThat(status("/livez")).isEqualTo(200);
        endpoints.add("orders", () -> stuckFor(Duration.ofSeconds(61)));
        assertThat(status("/livez")).isEqualTo(503);
        assertThat(status("/readyz")).isEqualTo(503);
    }

    @Test
    void whatIsNotThereIsSaidWithWhatIs() {
        assertThat(status("/")).isEqualTo(404);
        assertThat(body("/readyz/nobody")).contains("/metrics", "/livez", "/readyz");
        Response refused = endpoints.answer(new Request("POST", "/metrics"));
        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.headers()).containsEntry("Allow", "GET, HEAD");
    }

    private static RelayState state(Phase phase, @Nullable String reason, @Nullable String owner) {
        return new RelayState(phase, Duration.ofSeconds(5), reason, owner, Set.of(), "closed", null, null);
    }

    private static RelayState stuckFor(Duration time) {
        return new RelayState(Phase.STUCK, time, "no step", null, Set.of(), "closed", time, null);
    }

    private int status(String path) {
        return endpoints.answer(new Request("GET", path)).status();
    }

    private String body(String path) {
        return new String(endpoints.answer(new Request("GET", path)).body(), UTF_8);
    }

    private JsonNode json(String path) {
        return JsonMapper.shared().readTree(body(path));
    }
}
