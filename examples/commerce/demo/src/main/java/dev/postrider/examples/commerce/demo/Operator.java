package dev.postrider.examples.commerce.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Somebody with the command {@code postrider}. */
final class Operator {
    private final Books.Database shop;
    private final String kafka;

    Operator(Books.Database shop, String kafka) {
        this.shop = shop;
        this.kafka = kafka;
    }

    /** Makes the topics that the file describes. */
    void applyTopics(Path file) throws IOException, InterruptedException {
        postrider("topics", "apply", "--config", file.toString());
    }

    /** Everything that was ever published is sent once more. */
    void replayEverything() throws IOException, InterruptedException {
        postrider("replay", "--from", "12h", "--to", Instant.now().toString(), "--yes", "--as", "olga");
    }

    private void postrider(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.postrider.cli.PostriderCommand"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "POSTRIDER_KAFKA", kafka,
                        "POSTRIDER_KAFKA_ROUTES", "product.viewed=product-view-events",
                        "POSTRIDER_DB_URL", shop.url(),
                        "POSTRIDER_DB_USER", shop.user(),
                        "POSTRIDER_DB_PASSWORD", shop.password()));
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
