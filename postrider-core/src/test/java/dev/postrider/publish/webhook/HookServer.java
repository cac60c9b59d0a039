package dev.postrider.publish.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real server that answers as the test says, by path, and remembers what it got. */
public final class HookServer implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What came, with the whole body. */
    public record Received(String path, Headers headers, String body) {}

    private record Answer(int status, Map<String, String> headers, String body) {}

    public HookServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    public String url(String path) {
        return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + path;
    }

    /** Anything but 200 without a word. */
    public void answers(String path, int status, Map<String, String> headers, String body) {
        answers.put(path, new Answer(status, headers, body));
    }

    /** Takes what comes, and says nothing until it is closed or told to. */
    public void hangs(String path) {
        answers.put(path, new Answer(0, Map.of(), ""));
    }

    public List<Received> received() {
        return received;
    }

    public List<String> bodies() {
        return received.stream().map(Received::body).toList();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            String path = exchange.getRequestURI().getPath();
            received.add(new Received(path, exchange.getRequestHeaders(), body));
            Answer answer = answers.getOrDefault(path, new Answer(200, Map.of(), ""));
            if (answer.status() == 0) {
                closed.await();
                return;
            }
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            byte[] bytes = answer.body().getBytes(UTF_8);
            exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
