package dev.postrider.publish.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.Headers;
import dev.postrider.OutboxEvent;
import dev.postrider.Payload;
import dev.postrider.PostriderException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.PublishResult.Accepted;
import dev.postrider.publish.PublishResult.Rejected;
import dev.postrider.publish.PublishResult.Unavailable;
import dev.postrider.publish.PublishResult.Unresolved;
import dev.postrider.publish.UnroutableEventException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a real server, which answers as the test says. */
class WebhookPublisherTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String TOKEN = "Bearer top-secret-token";
    private static final String HOOK = "/hooks/secret-path";

    private HookServer server;
    private WebhookPublisher publisher;

    @BeforeEach
    void start() throws IOException {
        server = new HookServer();
        publisher = builder().build();
    }

    @AfterEach
    void stop() {
        publisher.close();
        server.close();
    }

    private WebhookPublisher.Builder builder() {
        return WebhookPublisher.builder().url(server.url(HOOK)).timeout(Duration.ofSeconds(20));
    }

    // ---- what is sent

    @Test
    void structuredContentIsOneDocument() {
        assertThat(publish(event("1"))).isInstanceOf(Accepted.class);

        HookServer.Received got = server.received().get(0);
        assertThat(got.headers().getFirst("Content-Type")).isEqualTo("application/cloudevents+json; charset=UTF-8");
        assertThat(got.body())
                .contains("\"specversion\":\"1.0\"", "\"type\":\"acme.order.paid.v1\"", "\"aggregateid\":\"1\"")
                .endsWith("\"datacontenttype\":\"application/json\",\"data\":{\"total\": 1}}");
        assertThat(got.headers().getFirst("webhook-signature")).isNull();
    }

    @Test
    void binaryContentIsThePayloadWithAttributesAsHeaders() {
        publisher =
                builder().content(WebhookContent.BINARY).defaultSource("shop").build();
        OutboxEvent event = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "№ \"1\" 100%")
                .payload(Payload.bytes(new byte[] {'x', '\n'}, "text/x"))
                .occurredAt(Instant.parse("2026-03-03T12:00:00Z"))
                .build();

        assertThat(publish(event)).isInstanceOf(Accepted.class);

        HookServer.Received got = server.received().get(0);
        Headers headers = got.headers();
        assertThat(got.body()).isEqualTo("x\n");
        assertThat(headers.getFirst("Content-Type")).isEqualTo("text/x");
        assertThat(headers.getFirst("ce-specversion")).isEqualTo("1.0");
        assertThat(headers.getFirst("ce-id")).isEqualTo(event.id().toString());
        assertThat(headers.getFirst("ce-source")).isEqualTo("shop");
        assertThat(headers.getFirst("ce-time")).isEqualTo("2026-03-03T12:00:00Z");
        assertThat(headers.getFirst("ce-aggregateid")).isEqualTo("%E2%84%96%20%221%22%20100%25");
    }

    @Test
    void requestsAreSignedAndCarryHeadersButNoneThatWritersMayNotSet() {
        publisher = builder()
                .secrets(List.of(SECRET))
                .header("Authorization", TOKEN)
                .build();
        OutboxEvent event = OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "1")
                .json("{}")
                .header("traceparent", "00-ab-cd-01")
                .header("authorization", "forged")
                .header("webhook-id", "forged")
                .header("Host", "forged")
                .header("not a name", "x")
                .header("x-lines", "a\r\nx-injected: b")
                .build();

        assertThat(publish(event)).isInstanceOf(Accepted.class);

        HookServer.Received got = server.received().get(0);
        Headers headers = got.headers();
        assertThat(headers.get("traceparent")).containsExactly("00-ab-cd-01");
        assertThat(headers.get("Authorization")).containsExactly(TOKEN);
        assertThat(headers.get("webhook-id")).containsExactly(event.id().toString());
        assertThat(headers.getFirst("Host")).startsWith("127.0.0.1");
        assertThat(headers).doesNotContainKeys("X-lines", "X-injected");
        long time = Long.parseLong(headers.getFirst("webhook-timestamp"));
        assertThat(headers.get("webhook-signature"))
                .containsExactly(Signatures.by(List.of(SECRET))
                        .headers(event.id().toString(), time, got.body().getBytes())
                        .get("webhook-signature"));
    }

    @Test
    void routesLeadTypesElsewhere() {
        publisher = builder().route("order.paid", server.url("/paid")).build();
        OutboxEvent other = OutboxEvent.builder("acme.order.sent")
                .aggregate("o", "1")
                .json("1")
                .build();

        publish(event("1"));
        publish(other);

        assertThat(server.received()).extracting(HookServer.Received::path).containsExactly("/paid", HOOK);
        WebhookPublisher routesOnly =
                WebhookPublisher.builder().route("order.paid", server.url("/")).build();
        assertThatThrownBy(() -> routesOnly.destination(other))
                .isInstanceOf(UnroutableEventException.class)
                .hasMessageContaining("acme.order.sent");
    }

    // ---- what answers mean

    @Test
    void statusDecidesWhoseFaultItIs() {
        for (int accepted : new int[] {200, 201, 202, 204}) {
            assertThat(answered(accepted)).isInstanceOf(Accepted.class);
        }
        for (int rejected : new int[] {301, 302, 307, 308, 400, 401, 403, 404, 409, 410, 422}) {
            assertThat(answered(rejected)).isInstanceOfSatisfying(Rejected.class, result -> {
                assertThat(result.permanent()).isFalse();
                assertThat(result.errorClass()).isEqualTo("http-" + rejected);
                assertThat(result.reason()).contains("status " + rejected);
            });
        }
        assertThat(answered(413))
                .isInstanceOfSatisfying(
                        Rejected.class, result -> assertThat(result.permanent()).isTrue());
        for (int unavailable : new int[] {408, 425, 429, 500, 502, 503, 504}) {
            assertThat(answered(unavailable))
                    .isInstanceOfSatisfying(
                            Unavailable.class,
                            result -> assertThat(result.retryAfter()).isNull());
        }
    }

    private PublishResult answered(int status) {
        server.answers(HOOK, status, Map.of(), "");
        return publish(event("1"));
    }

    @Test
    void redirectsAreNotFollowed() {
        server.answers(HOOK, 307, Map.of("Location", "https://elsewhere.example/token-in-path"), "");

        assertThat(publish(event("1")))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        result -> assertThat(result.reason())
                                .contains("status 307", "to elsewhere.example", "redirects are not followed")
                                .doesNotContain("token"));
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void reasonsTellWhatTheServerSaysButNoSecretsAndNoPayload() {
        publisher = builder().header("Authorization", TOKEN).build();
        server.answers(HOOK, 400, Map.of(), "no such\n field: total at " + HOOK + " for " + TOKEN);
        assertThat(reason(publish(event("1"))))
                .isEqualTo("The webhook at 127.0.0.1 answers with status 400:"
                        + " no such field: total at /… for (secret)");

        server.answers(HOOK, 400, Map.of(), "x".repeat(5000));
        assertThat(reason(publish(event("1")))).hasSizeLessThan(300).endsWith("x…");

        OutboxEvent secretive = OutboxEvent.builder("a.b")
                .aggregate("a", "1")
                .json("{\"card\": \"4111 1111 1111 1111\", \"name\": \"Ada\"}")
                .build();
        server.answers(HOOK, 422, Map.of(), "{\"got\": {\"name\":\"Ada\", \"card\":\"4111 1111 1111 1111\"}}");
        assertThat(reason(publish(secretive)))
                .contains("422", "repeats the payload")
                .doesNotContain("4111");
    }

    private static String reason(PublishResult result) {
        return ((Rejected) result).reason();
    }

    @Test
    void whoeverAsksToBeLeftAloneIs() {
        server.answers(HOOK, 429, Map.of("Retry-After", "60"), "");

        assertThat(publish(event("1")))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        result -> assertThat(result.retryAfter()).isEqualTo(Duration.ofMinutes(1)));
        assertThat(publish(event("2"))).isInstanceOfSatisfying(Unavailable.class, result -> {
            assertThat(result.errorClass()).isEqualTo("retry-after");
            assertThat(result.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1));
        });
        assertThat(server.received()).hasSize(1);
    }

    @Test
    void whenTheTimeIsOverItIsCalledAgain() {
        server.answers(HOOK, 503, Map.of("Retry-After", "0.05"), "");
        publish(event("1"));
        server.answers(HOOK, 200, Map.of(), "");

        await().until(() -> publish(event("1")) instanceof Accepted);
    }

    @Test
    void silenceAndBrokenConnectionsAreTheDestinationsFault() throws IOException {
        publisher = builder().timeout(Duration.ofMillis(200)).build();
        server.hangs(HOOK);
        assertThat(publish(event("1")))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        result -> assertThat(result.reason())
                                .isEqualTo("The webhook at 127.0.0.1 does not answer within 200 ms."));

        int free;
        try (ServerSocket resetting = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            free = resetting.getLocalPort();
            CompletableFuture.runAsync(() -> reset(resetting));
            assertThat(publishTo(free)).isInstanceOf(Unavailable.class);
        }
        assertThat(publishTo(free)).isInstanceOf(Unavailable.class);
    }

    private PublishResult publishTo(int port) {
        publisher = WebhookPublisher.builder()
                .url("http://127.0.0.1:" + port + "/x")
                .build();
        return publish(event("1"));
    }

    private static void reset(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void answerThatNeverEndsIsTooLate() throws IOException {
        try (ServerSocket endless = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            publisher = WebhookPublisher.builder()
                    .url("http://127.0.0.1:" + endless.getLocalPort() + "/x")
                    .timeout(Duration.ofMillis(200))
                    .build();
            CompletableFuture<PublishResult> answer = publishing(event("1"));
            try (Socket socket = endless.accept()) {
                socket.getOutputStream().write("HTTP/1.1 400 Bad\r\nContent-Length: 100000\r\n\r\n{".getBytes());
                assertThat(answer.join())
                        .isInstanceOfSatisfying(
                                Unavailable.class,
                                result -> assertThat(result.errorClass()).isEqualTo("timeout"));
            }
        }
    }

    // ---- the line

    @Test
    void onlySoManyRequestsAreOutTogether() {
        publisher = builder().inFlight(3).build();
        server.hangs(HOOK);
        for (int i = 0; i < 10; i++) {
            publishing(event("" + i));
        }
        await().until(() -> server.received().size() == 3);

        publisher.halt();
        server.answers(HOOK, 200, Map.of(), "");
        publisher.resume();

        assertThat(publish(event("10"))).isInstanceOf(Accepted.class);
        assertThat(server.received()).hasSize(4);
    }

    @Test
    void whatWaitsForItsTurnIsGivenBackAndWhatIsOutGoesOn() {
        publisher = builder()
                .inFlight(1)
                .route("acme.other.thing.v1", server.url("/other"))
                .build();
        server.hangs(HOOK);
        CompletableFuture<PublishResult> out = publishing(event("0"));
        CompletableFuture<PublishResult> waiting = publishing(event("1"));
        await().until(() -> server.received().size() == 1);

        publisher.returnUnstarted();

        assertThat(waiting).isCompletedWithValue(new Unresolved());
        assertThat(out).isNotDone();
        publisher.halt();
        server.answers(HOOK, 200, Map.of(), "");
        publisher.resume();
        assertThat(publish(event("1"))).isInstanceOf(Accepted.class);
        assertThat(server.received()).hasSize(2);
    }

    @Test
    void stoppedLineSendsNothingAndGivesUpWhatIsInFlight() {
        publisher = builder().inFlight(2).build();
        server.hangs(HOOK);
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(publishing(event("" + i)));
        }
        await().until(() -> server.received().size() == 2);

        publisher.halt();

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompletedWithValue(new Unresolved()));
        assertThat(publishing(event("5"))).isCompletedWithValue(new Unresolved());
        server.answers(HOOK, 200, Map.of(), "");
        publisher.resume();
        assertThat(publish(event("6"))).isInstanceOf(Accepted.class);
        assertThat(server.received()).hasSize(3);
    }

    @Test
    void requestThatIsHalfSentWhenTheLineIsStoppedIsNeverWhole() throws IOException {
        byte[] large = new byte[32 * 1024 * 1024];
        try (ServerSocket slow = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            publisher = WebhookPublisher.builder()
                    .url("http://127.0.0.1:" + slow.getLocalPort() + "/x")
                    .content(WebhookContent.BINARY)
                    .build();
            CompletableFuture<PublishResult> answer = publishing(OutboxEvent.builder("a.b")
                    .aggregate("a", "1")
                    .payload(Payload.bytes(large, "x/y"))
                    .build());
            try (Socket socket = slow.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');

                publisher.halt();

                assertThat(answer).isCompletedWithValue(new Unresolved());
                assertThat(countToTheEnd(socket)).isLessThan(large.length);
            }
        }
    }

    private static long countToTheEnd(Socket socket) throws IOException {
        socket.setSoTimeout(10_000);
        long count = 0;
        byte[] piece = new byte[64 * 1024];
        try {
            for (int length = socket.getInputStream().read(piece);
                    length >= 0;
                    length = socket.getInputStream().read(piece)) {
                count += length;
            }
        } catch (SocketException e) {
            // A reset is an end too.
        }
        return count;
    }

    @Test
    void requestWhoseBodyWasRevokedBeforeItWasSentArrivesNowhere() {
        RevocableBody body = new RevocableBody(new byte[] {'x'});
        body.revoke();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url(HOOK)))
                .version(HttpClient.Version.HTTP_1_1)
                .POST(body)
                .build();

        assertThatThrownBy(() -> HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()))
                .isInstanceOf(IOException.class);
        publish(event("after"));

        assertThat(server.received()).hasSize(1);
    }

    @Test
    void closedPublisherTakesNothingMore() {
        server.hangs(HOOK);
        CompletableFuture<PublishResult> answer = publishing(event("1"));
        await().until(() -> server.received().size() == 1);

        publisher.close();
        publisher.resume();

        assertThat(answer).isCompletedWithValue(new Unresolved());
        assertThat(publishing(event("2"))).isCompletedWithValue(new Unresolved());
    }

    @Test
    void whatIsSetWronglyIsRefused() {
        assertRefused("webhook.url is not set", () -> WebhookPublisher.builder().build());
        for (String url : List.of("/hooks/secret-path", "ftp://example.com/x", "example.com", "http:///x", "a b")) {
            assertThatThrownBy(() -> WebhookPublisher.builder().url(url))
                    .isInstanceOf(PostriderException.class)
                    .hasMessageContaining("webhook.url is a text of " + url.length() + " characters")
                    .hasMessageContaining("http:// or https://")
                    .hasMessageNotContaining("secret");
        }
        assertRefused("webhook.routes.a.b is a text", () -> builder().route("a.b", "nowhere"));
        assertRefused(
                "webhook.timeout is PT0S",
                () -> builder().timeout(Duration.ZERO).build());
        assertRefused(
                "webhook.connect-timeout is",
                () -> builder().connectTimeout(Duration.ofMillis(-1)).build());
        assertRefused("webhook.in-flight is 0", () -> builder().inFlight(0).build());
        assertRefused(
                "webhook.template is set", () -> builder().template("{type}").build());
        assertRefused(
                "webhook.template is [{nothing}]",
                () -> builder()
                        .content(WebhookContent.DISCORD)
                        .template("{nothing}")
                        .build());
        assertRefused(
                "webhook.secret, number 1",
                () -> builder().secrets(List.of("x")).build());
        for (String name : List.of("Host", "Content-Type", "ce-id", "webhook-id", "a b")) {
            assertRefused(
                    "webhook.headers has [" + name + "]",
                    () -> builder().header(name, "x").build());
        }
        assertRefused(
                "webhook.headers has [x]", () -> builder().header("x", "a\nb").build());
    }

    private static void assertRefused(String part, Runnable action) {
        assertThatThrownBy(action::run).isInstanceOf(PostriderException.class).hasMessageContaining(part);
    }

    private PublishResult publish(OutboxEvent event) {
        return publishing(event).join();
    }

    private CompletableFuture<PublishResult> publishing(OutboxEvent event) {
        return publisher.publish(event, publisher.destination(event)).toCompletableFuture();
    }

    private static OutboxEvent event(String id) {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", id)
                .json("{\"total\": 1}")
                .build();
    }
}
