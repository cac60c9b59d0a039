package dev.postrider.examples.logistics.demo;

import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.ServiceProcess;
import dev.postrider.examples.Stage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The command {@code ./postrider}: relays as processes of their own, and what an operator does. */
final class Postrider {
    static final String OPERATOR = "olga";

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Stage stage;
    private final Path launcher;
    private final Path folder;

    Postrider(Stage stage, DevPostgres postgres, String bootstrapServers, String alertsUrl) {
        this.stage = stage;
        launcher = stage.examples().resolveSibling("postrider");
        folder = stage.examples().resolve("logistics/relay");
        environment.put("POSTRIDER_DB_URL", postgres.jdbcUrl());
        environment.put("POSTRIDER_DB_USER", postgres.user());
        environment.put("POSTRIDER_DB_PASSWORD", postgres.password());
        environment.put("POSTRIDER_KAFKA", bootstrapServers);
        environment.put("POSTRIDER_ALERTS_WEBHOOK_URL", alertsUrl);
        environment.put("POSTRIDER_RELAY_DEAD_LETTER_FILE", "target/dead-letters.jsonl");
        environment.put("POSTRIDER_JAVA_OPTS", "-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    }

    /** Not started yet. */
    ServiceProcess relay(String name, String settings, int httpPort) {
        ServiceProcess relay = stage.program(
                name,
                folder,
                launcher.toString(),
                "relay",
                "--config",
                settings,
                "--name",
                name,
                "--http",
                Integer.toString(httpPort));
        environment.forEach(relay::withVariable);
        return relay;
    }

    boolean isReady(int httpPort) throws IOException, InterruptedException {
        return get(httpPort, "/readyz").statusCode() == 200;
    }

    String metrics(int httpPort) throws IOException, InterruptedException {
        return get(httpPort, "/metrics").body();
    }

    private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(Duration.ofSeconds(10))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Runs a command, which must succeed. */
    void run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--config", "relay.yml"));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("postrider ended with " + process.exitValue() + ": " + printed);
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
