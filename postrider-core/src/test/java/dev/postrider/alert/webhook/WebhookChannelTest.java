package dev.postrider.alert.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.postrider.PostriderException;
import dev.postrider.alert.Alert;
import dev.postrider.alert.Alert.Severity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Against a real server, which answers as the test says. */
class WebhookChannelTest {
    private static final Alert ALERT = new Alert(
            "pending",
            Severity.WARNING,
            "20000 events wait",
            "More than 10000 & <!channel> @everyone",
            fields("outbox", "orders", "count", "20000"),
            false);

    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final List<Integer> answers = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean hanging;
    private volatile String retryAfter = "0";

    private ExecutorService executor;
    private HttpServer server;
    private WebhookChannel channel;

    @BeforeEach
    void start() throws IOException {
        executor = Executors.newCachedThreadPool();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/hooks/secret-token", this::answer);
        server.start();
        channel = channel(WebhookFormat.JSON);
    }

    @AfterEach
    void stop() {
        released.countDown();
        channel.close();
        server.stop(0);
        executor.shutdownNow();
    }

    @Test
    void genericFormatCarriesEverything() {
        channel.send(ALERT);

        assertThat(received(1).get(0))
                .isEqualTo("{\"rule\":\"pending\",\"severity\":\"WARNING\",\"recovery\":false,"
                        + "\"title\":\"20000 events wait\",\"text\":\"More than 10000 & <!channel> @everyone\","
                        + "\"fields\":{\"outbox\":\"orders\",\"count\":\"20000\"}}");
    }

    @Test
    void discordGetsAnEmbedThatCallsNobody() {
        channel = channel(WebhookFormat.DISCORD);

        channel.send(ALERT);

        JsonNode message = json(received(1).get(0));
        JsonNode embed = message.path("embeds").path(0);
        assertThat(embed.path("title").asString()).isEqualTo("20000 events wait");
        assertThat(embed.path("description").asString()).isEqualTo("More than 10000 & <!channel> @everyone");
        assertThat(embed.path("color").asInt()).isEqualTo(0xF39C12);
        assertThat(embed.path("fields").path(1).path("name").asString()).isEqualTo("count");
        assertThat(embed.path("fields").path(1).path("value").asString()).isEqualTo("20000");
        assertThat(message.path("allowed_mentions").path("parse").isArray()).isTrue();
        assertThat(message.path("allowed_mentions").path("parse").size()).isZero();
    }

    @Test
    void slackGetsTextAndBlocksWithMentionsEscaped() {
        channel = channel(WebhookFormat.SLACK);

        channel.send(ALERT);

        JsonNode message = json(received(1).get(0));
        assertThat(message.path("text").asString()).isEqualTo("[WARNING] 20000 events wait");
        assertThat(message.path("blocks").path(0).path("type").asString()).isEqualTo("header");
        assertThat(message.path("blocks").path(1).path("text").path("text").asString())
                .isEqualTo("More than 10000 &amp; &lt;!channel&gt; @everyone");
        assertThat(message.path("blocks")
                        .path(2)
                        .path("fields")
                        .path(1)
                        .path("text")
                        .asString())
                .isEqualTo("*count*\n20000");
    }

    @Test
    void wholeEventIsSplitIntoSeveralMessagesForDiscordAndNothingIsMissing() {
        channel = channel(WebhookFormat.DISCORD);
        String row = row(10_000);

        channel.send(carrying(row));

        int messages = 1 + (row.length() + 1699) / 1700;
        List<JsonNode> parts = received(messages).stream()
                .skip(1)
                .map(WebhookChannelTest::json)
                .toList();
        assertThat(parts)
                .allSatisfy(part -> assertThat(part.path("content").asString()).hasSizeLessThanOrEqualTo(2000));
        assertThat(joined(parts, "content")).isEqualTo(row);
    }

    @Test
    void wholeEventIsSplitIntoSeveralMessagesForSlackAndNothingIsMissing() {
        channel = channel(WebhookFormat.SLACK);
        String row = row(5_000) + "<&>".repeat(1000);

        channel.send(carrying(row));

        await().until(() -> bodies.stream().anyMatch(body -> lastPart(body)));
        List<JsonNode> parts =
                bodies.stream().skip(1).map(WebhookChannelTest::json).toList();
        assertThat(parts)
                .allSatisfy(part -> assertThat(part.path("text").asString()).hasSizeLessThanOrEqualTo(3000));
        assertThat(joined(parts, "text")
                        .replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&"))
                .isEqualTo(row);
    }

    @Test
    void wholeEventIsOneMessageInTheGenericFormat() {
        String row = row(1_000_000);

        channel.send(carrying(row));

        assertThat(json(received(1).get(0)).path("fields").path("row").asString())
                .isEqualTo(row);
    }

    @Test
    void webhookThatHangsSlowsNobodyAndItsQueueIsBounded() {
        hanging = true;
        channel = new WebhookChannel(url(), WebhookFormat.JSON, Duration.ofMinutes(10), 10);
        channel.send(ALERT);
        await().until(() -> bodies.size() == 1);

        // Only the first can be in the other side's hands; were send to wait for it, the test would not end.
        for (int i = 0; i < 100_000; i++) {
            channel.send(ALERT);
        }

        assertThat(channel.dropped()).isEqualTo(100_000 - 10);
        hanging = false;
        released.countDown();
        assertThat(received(11)).hasSize(11);
    }

    @Test
    void criticalAlertTakesThePlaceOfOneThatIsNot() {
        hanging = true;
        channel = new WebhookChannel(url(), WebhookFormat.JSON, Duration.ofMinutes(10), 3);
        channel.send(ALERT);
        await().until(() -> bodies.size() == 1);
        for (int i = 0; i < 3; i++) {
            channel.send(ALERT);
        }

        channel.send(carrying("the only copy"));

        hanging = false;
        released.countDown();
        assertThat(received(4)).last().asString().contains("the only copy");
        assertThat(channel.dropped()).isEqualTo(1);
    }

    @Test
    void webhookThatDoesNotAnswerIsTriedTwiceAndGivenUp() {
        hanging = true;
        channel = new WebhookChannel(url(), WebhookFormat.JSON, Duration.ofSeconds(2), 10);

        channel.send(ALERT);

        await().until(() -> channel.dropped() == 1);
        await().untilAsserted(() -> assertThat(bodies).hasSize(2));
    }

    @Test
    void secondTryGetsThrough() {
        answers.add(500);

        channel.send(ALERT);

        assertThat(received(2)).hasSize(2);
        assertThat(channel.dropped()).isZero();
    }

    @Test
    void whatWouldBeRefusedAgainIsNotTriedAgain() {
        answers.add(404);

        channel.send(ALERT);

        await().until(() -> channel.dropped() == 1);
        assertThat(bodies).hasSize(1);
    }

    @Test
    void webhookThatSaysTooManyIsWaitedFor() {
        answers.addAll(List.of(429, 429, 429, 429));

        channel.send(ALERT);

        assertThat(received(5)).hasSize(5);
        assertThat(channel.dropped()).isZero();
    }

    @Test
    void webhookThatWantsToWaitForHoursIsGivenUp() {
        retryAfter = "7200";
        answers.add(429);

        channel.send(ALERT);

        await().until(() -> channel.dropped() == 1);
    }

    @Test
    void secretOfTheUrlIsNeverLogged() {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            server.stop(0);
            channel.send(ALERT);
            await().until(() -> channel.dropped() == 1);
        } finally {
            System.setErr(before);
        }

        assertThat(channel.toString()).isEqualTo("webhook at " + url().getHost());
        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains("Alerts that did not reach the webhook at localhost: 1; ")
                .doesNotContain("secret-token");
    }

    @Test
    void badUrlIsRefusedWithoutRepeatingIt() {
        assertThatThrownBy(() -> new WebhookChannel(URI.create("ftp://host/secret-token"), WebhookFormat.JSON))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("must begin with http:// or https://")
                .hasMessageNotContaining("secret-token");
    }

    @Test
    void closingSendsWhatWaits() {
        for (int i = 0; i < 5; i++) {
            channel.send(ALERT);
        }
        channel.close();

        assertThat(bodies).hasSize(5);
        channel.send(ALERT);
        assertThat(channel.dropped()).as("after closing").isEqualTo(1);
    }

    private void answer(HttpExchange exchange) throws IOException {
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        try (exchange) {
            if (hanging) {
                released.await();
            }
            int status = answers.isEmpty() ? 204 : answers.remove(0);
            exchange.getResponseHeaders().add("Retry-After", retryAfter);
            exchange.sendResponseHeaders(status, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private WebhookChannel channel(WebhookFormat format) {
        return new WebhookChannel(url(), format);
    }

    private URI url() {
        return URI.create("http://localhost:" + server.getAddress().getPort() + "/hooks/secret-token");
    }

    private List<String> received(int count) {
        await().until(() -> bodies.size() >= count);
        return List.copyOf(bodies);
    }

    private static Alert carrying(String row) {
        return new Alert(
                "dead-letter-unsaved",
                Severity.CRITICAL,
                "Dead letter 7 is saved nowhere but in this message",
                "Keep this message.",
                fields("id", "7", "row", row),
                false);
    }

    /** With characters of one, two and four bytes, so that a careless cut would be seen. */
    private static String row(int length) {
        return "{\"payload\":\"" + "a🐎é🐎".repeat(length / 6) + "\"}";
    }

    private static boolean lastPart(String body) {
        return json(body).path("text").asString().matches("(?s)row (\\d+)/\\1\n.*");
    }

    /** What stands between the fences. */
    private static String joined(List<JsonNode> parts, String field) {
        return parts.stream()
                .map(part -> part.path(field).asString())
                .map(text -> text.substring(text.indexOf("```\n") + 4, text.lastIndexOf("\n```")))
                .collect(Collectors.joining());
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static Map<String, String> fields(String... namesAndValues) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }
}
