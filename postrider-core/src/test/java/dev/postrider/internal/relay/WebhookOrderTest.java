package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.webhook.HookServer;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several requests out together, and the order within a key all the same. Each key has a URL of its own. */
class WebhookOrderTest {
    private final List<String> completed = new ArrayList<>();
    private HookServer server;
    private WebhookPublisher publisher;
    private InFlight inFlight;

    @BeforeEach
    void start() throws IOException {
        server = new HookServer();
        publisher = WebhookPublisher.builder()
                .route("k1", server.url("/k1"))
                .route("k2", server.url("/k2"))
                .content(WebhookContent.BINARY)
                .timeout(Duration.ofSeconds(3))
                .build();
        inFlight = new InFlight(publisher, true, () -> {}, () -> {});
    }

    @AfterEach
    void stop() {
        publisher.close();
        server.close();
    }

    @Test
    void eventOfAKeyWaitsForTheAnswerToTheOneBeforeWhileOtherKeysGoOn() {
        server.hangs("/k1");
        add("k1", 1, 2, 3);
        add("k2", 4, 5, 6);

        await().until(() -> collect().contains("6 Accepted"));
        await().untilAsserted(() -> assertThat(server.bodies())
                .containsExactlyInAnyOrder("1", "4", "5", "6")
                .containsSubsequence("4", "5", "6"));

        await().until(() -> collect().contains("3 Unresolved"));
        assertThat(completed).containsSubsequence("1 Unavailable", "2 Unresolved", "3 Unresolved");
        assertThat(server.bodies()).as("nothing behind the failed one was sent").doesNotContain("2", "3");
    }

    @Test
    void afterARefusalNothingLaterOfTheKeyIsSent() {
        server.answers("/k1", 400, Map.of(), "");
        add("k1", 1, 2, 3);

        await().until(() -> collect().size() == 3);

        assertThat(completed).containsExactly("1 Rejected", "2 Unresolved", "3 Unresolved");
        assertThat(server.bodies()).containsExactly("1");
    }

    private void add(String key, int... bodies) {
        for (int body : bodies) {
            OutboxEvent event = OutboxEvent.builder("acme." + key + ".v1")
                    .aggregate("a", key)
                    .json(Integer.toString(body))
                    .build();
            RowClaim claim = new RowClaim(body, "", 1, key.hashCode(), 0, 0, Duration.ZERO);
            inFlight.add(new StoredEvent(claim, event, System.nanoTime()));
        }
    }

    /** Everything that has come back so far. */
    private List<String> collect() {
        inFlight.collect()
                .forEach(one -> completed.add(one.stored().event().payload().text() + " "
                        + one.result().getClass().getSimpleName()));
        return completed;
    }
}
