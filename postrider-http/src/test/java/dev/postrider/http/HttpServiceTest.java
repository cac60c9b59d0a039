package dev.postrider.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.PostriderException;
import dev.postrider.settings.InvalidOptionException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServiceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void answersOnThisMachineOnlyWhenAPortIsAllThatIsSaid() throws Exception {
        try (HttpService http = start("0", 2, Duration.ofSeconds(30), RequestPath::echo)) {
            assertThat(http.address().getAddress().isLoopbackAddress()).isTrue();
            HttpResponse<String> answer = get(http, "/some/path?with=query");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("GET /some/path");
            assertThat(answer.headers().firstValue("Content-Type")).contains("text/plain");
        }
    }

    /** Each sends half a request and then waits: without a limit the threads would be theirs for ever. */
    @Test
    void clientsThatSendTooSlowlyAreCutOffAndOthersAnswered() throws Exception {
        try (HttpService http = start("0", 2, Duration.ofMillis(300), RequestPath::echo)) {
            List<Socket> slow = new ArrayList<>();
            try {
                for (int i = 0; i < 6; i++) {
                    Socket socket = new Socket(
                            http.address().getAddress(), http.address().getPort());
                    slow.add(socket);
                    socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\nX-".getBytes(UTF_8));
                    socket.getOutputStream().flush();
                }

                assertThat(get(http, "/quick").body()).isEqualTo("GET /quick");
                for (Socket socket : slow) {
                    socket.setSoTimeout((int) PATIENCE.toMillis());
                    assertThat(isClosed(socket)).isTrue();
                }
            } finally {
                for (Socket socket : slow) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void moreRequestsThanThreadsAndPlacesToWaitMakeNoMoreThreads() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch arrived = new CountDownLatch(2);
        Endpoint slow = request -> {
            arrived.countDown();
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Response.text(200, "text/plain", "late");
        };
        try (HttpService http = start("0", 2, Duration.ofSeconds(50), slow)) {
            List<Socket> many = new ArrayList<>();
            try {
                for (int i = 0; i < 120; i++) {
                    Socket socket = new Socket(
                            http.address().getAddress(), http.address().getPort());
                    many.add(socket);
                    OutputStream out = socket.getOutputStream();
                    out.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(UTF_8));
                    out.flush();
                }
                assertThat(arrived.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(threadsThatAnswer()).hasSize(2);
                // Those that found no place are told at once.
                Socket last = many.get(many.size() - 1);
                last.setSoTimeout((int) PATIENCE.toMillis());
                assertThat(isClosed(last)).isTrue();
            } finally {
                held.countDown();
                for (Socket socket : many) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void endpointThatThrowsIsAnErrorOfTheServerWithoutDetails() throws Exception {
        Endpoint broken = request -> {
            throw new IllegalStateException("secret");
        };
        try (HttpService http = start("0", 2, Duration.ofSeconds(30), broken)) {
            HttpResponse<String> answer = get(http, "/");

            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).doesNotContain("secret");
        }
    }

    @Test
    void headHasNoBody() throws Exception {
        try (HttpService http = start("0", 2, Duration.ofSeconds(30), RequestPath::echo)) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(uri(http, "/"))
                            .method("HEAD", HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEmpty();
        }
    }

    @Test
    void addressInUseAndUnknownHostAreSaidInOneSentence() {
        try (HttpService http = start("0", 1, Duration.ofSeconds(30), RequestPath::echo)) {
            String used = "127.0.0.1:" + http.address().getPort();

            assertThatThrownBy(() -> start(used, 1, Duration.ofSeconds(30), RequestPath::echo))
                    .isInstanceOf(PostriderException.class)
                    .hasMessage("Cannot listen at " + used + ": another process listens there. Set http.listen to a"
                            + " free port of this machine.");
        }
        assertThatThrownBy(() -> start("nowhere.invalid:1", 1, Duration.ofSeconds(30), RequestPath::echo))
                .hasMessageContaining("there is no host nowhere.invalid");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "host", ":9464", "localhost:", "localhost:70000", "-1", "::1:9464", "http://localhost:1"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> HttpSettings.LISTEN.parse(text))
                .isInstanceOf(InvalidOptionException.class)
                .hasMessageContaining("http.listen is");
    }

    @Test
    void addressesAreWrittenAsTheyAreRead() {
        assertThat(HttpSettings.LISTEN.parse("[::1]:9464")).isEqualTo(new HttpAddress("::1", 9464));
        assertThat(HttpSettings.LISTEN.parse("[::1]:9464")).hasToString("[::1]:9464");
        assertThat(HttpSettings.LISTEN.parse("9464")).hasToString("127.0.0.1:9464");
        assertThat(HttpSettings.LISTEN.parse("0.0.0.0:0")).isEqualTo(new HttpAddress("0.0.0.0", 0));
    }

    private static HttpService start(String listen, int threads, Duration timeout, Endpoint endpoint) {
        return HttpService.start(new HttpSettings(HttpSettings.LISTEN.parse(listen), threads, timeout), endpoint);
    }

    /** Tries again while no thread is free. */
    private HttpResponse<String> get(HttpService http, String path) {
        return await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> client.send(
                                HttpRequest.newBuilder(uri(http, path))
                                        .timeout(PATIENCE)
                                        .build(),
                                HttpResponse.BodyHandlers.ofString()),
                        answer -> true);
    }

    private static URI uri(HttpService http, String path) {
        return URI.create("http://127.0.0.1:" + http.address().getPort() + path);
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    private static Set<String> threadsThatAnswer() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("postrider-http-\\d+"))
                .collect(Collectors.toSet());
    }

    private static final class RequestPath {
        static Response echo(Request request) {
            return new Response(200, "text/plain", (request.method() + " " + request.path()).getBytes(UTF_8), Map.of());
        }
    }
}
