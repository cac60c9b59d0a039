package dev.postrider.examples.transfer.demo;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Those who are woken by alerts, and who have the command {@code postrider}. */
final class Operations implements AutoCloseable {
    private final List<JsonNode> alerts = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    Operations() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
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

    /** Whether somebody was told of the death of the event with this number. */
    boolean knowOfDeathOf(String event) {
        return alerts.stream()
                .anyMatch(alert -> alert.path("rule").asString("").equals("dead-letter")
                        && alert.path("fields").path("id").asString("").equals(event));
    }

    /** The dead event of this transfer is to be sent again. */
    void putBack(Database bank, String transfer) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.postrider.cli.PostriderCommand"));
        command.addAll(List.of("dead", "retry", "--aggregate", "Transfer/" + transfer, "--yes", "--as", "olga"));
        command.addAll(List.of("--table", "transfer_events", "--db-url", bank.url(), "--db-user", bank.user()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("POSTRIDER_DB_PASSWORD", bank.password());
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

    @Override
    public void close() {
        server.stop(0);
    }
}
