package dev.postrider.examples.logistics.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Where alerts arrive: what operations carry in their pocket. */
final class Pager implements AutoCloseable {
    private final HttpServer server;
    private final List<JsonNode> alerts = new CopyOnWriteArrayList<>();

    Pager() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/alerts", exchange -> {
            alerts.add(JsonMapper.shared()
                    .readTree(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/alerts";
    }

    int alerts() {
        return alerts.size();
    }

    boolean hasDeath(String row) {
        return alerts.stream()
                .anyMatch(alert -> alert.path("rule").asString().equals("dead-letter")
                        && alert.path("fields").path("id").asString().equals(row));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
