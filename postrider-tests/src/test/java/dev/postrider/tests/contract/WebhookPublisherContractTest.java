package dev.postrider.tests.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.webhook.WebhookContent;
import dev.postrider.publish.webhook.WebhookPublisher;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

class WebhookPublisherContractTest extends PublisherContract {
    private final List<String> arrived = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    WebhookPublisherContractTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::take);
        server.start();
    }

    @AfterEach
    void stopServer() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void take(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        if (body.equals("\"unanswered\"")) {
            return;
        }
        boolean refused = body.equals("\"refused\"");
        if (!refused) {
            arrived.add(body);
        }
        exchange.sendResponseHeaders(refused ? 400 : 204, -1);
        exchange.close();
    }

    @Override
    protected Publisher publisher() {
        return WebhookPublisher.builder()
                .route(
                        "acme.order.created.v1",
                        "http://localhost:" + server.getAddress().getPort() + "/")
                .content(WebhookContent.BINARY)
                .timeout(Duration.ofMinutes(5))
                .build();
    }

    @Override
    protected List<String> arrived() {
        return arrived;
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.of(event(key, "\"refused\""));
    }

    @Override
    protected Optional<OutboxEvent> unanswered(String key) {
        return Optional.of(event(key, "\"unanswered\""));
    }

    @Override
    protected Optional<OutboxEvent> unroutable() {
        return Optional.of(OutboxEvent.builder("acme.order.unknown.v1")
                .aggregate("order", "a")
                .json("{}")
                .build());
    }
}
