package dev.postrider.examples.logistics.demo;

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
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** The service in Node, over HTTP. */
final class NodeDesk implements OrderDesk {
    private static final long NPM_SECONDS = 120;

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
    static boolean isPossible(Stage stage) throws InterruptedException {
        return succeeds(stage, "node", "--version")
                && succeeds(
                        stage, "npm", "ci", "--no-audit", "--no-fund", "--fetch-retries=0", "--fetch-timeout=20000");
    }

    private static Path folder(Stage stage) {
        return stage.examples().resolve("logistics/orders");
    }

    private static boolean succeeds(Stage stage, String... command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder(stage).toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return false;
        }
        try {
            return process.waitFor(NPM_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
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
