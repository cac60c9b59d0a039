package dev.postrider.examples.logistics.demo;

import dev.postrider.examples.NodeProgram;
import dev.postrider.examples.ServiceProcess;
import dev.postrider.examples.Stage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;

/** The service in Node, over HTTP. */
final class NodeDesk implements OrderDesk {
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ServiceProcess service;
    private final String url;

    /** Only where {@link #isPossible}. */
    NodeDesk(Stage stage, String databaseUrl, int port) {
        url = "http://127.0.0.1:" + port + "/orders";
        service = stage.program("orders", folder(stage), "node", "service.js")
                .withVariable("PORT", Integer.toString(port))
                .withVariable("DATABASE_URL", databaseUrl);
    }

    /** Whether there is Node, and npm can get the service's driver. */
    static boolean isPossible(Stage stage) throws IOException, InterruptedException {
        return NodeProgram.install(stage.examples().resolve("logistics/orders"), folder(stage));
    }

    private static Path folder(Stage stage) {
        return stage.examples().resolve("logistics/demo/target/orders");
    }

    NodeDesk start() {
        service.start();
        return this;
    }

    @Override
    public boolean isOpen() throws IOException, InterruptedException {
        return send("GET", "/" + UUID.randomUUID(), "").statusCode() == 404;
    }

    @Override
    public UUID place(String destination) throws IOException, InterruptedException {
        String order = """
                {"customer": "Ada Lovelace", "destination": "%s", "items": [{"article": "cup-1", "quantity": 2}]}
                """.formatted(destination);
        HttpResponse<String> placed = accepted(send("POST", "", order));
        return UUID.fromString(
                JsonMapper.shared().readTree(placed.body()).get("id").asString());
    }

    @Override
    public void take(UUID order, String step) throws IOException, InterruptedException {
        accepted(send("POST", "/" + order + "/steps", "{\"step\": \"" + step + "\"}"));
    }

    private static HttpResponse<String> accepted(HttpResponse<String> response) {
        if (response.statusCode() / 100 != 2) {
            throw new IllegalStateException("The service answered " + response.statusCode() + ": " + response.body());
        }
        return response;
    }

    private HttpResponse<String> send(String method, String path, String body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create(url + path))
                        .timeout(Duration.ofSeconds(30))
                        .header("content-type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
