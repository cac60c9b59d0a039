package dev.postrider.examples.transfer;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Where alerts are posted to. It stays until the process ends. */
final class Operations {
    private final List<JsonNode> alerts = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    Operations() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            alerts.add(JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    List<JsonNode> alerts(String rule) {
        return alerts.stream()
                .filter(alert -> alert.path("rule").asString("").equals(rule))
                .toList();
    }

    /** Whether somebody was told of the death of this event. */
    boolean knowsOfDeathOf(EventRow event) {
        return alerts("dead-letter").stream()
                .anyMatch(alert -> alert.path("fields").path("id").asString("").equals(Long.toString(event.id())));
    }
}
