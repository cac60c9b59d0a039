package dev.postrider.examples.orders.demo;

import dev.postrider.devservices.DevPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** Somebody with the command {@code postrider}. */
final class Operator {
    static final String NAME = "olga";

    private final DevPostgres postgres;

    Operator(DevPostgres postgres) {
        this.postgres = postgres;
    }

    /** The dead event of this order is to be sent again. */
    void putBack(UUID order) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.postrider.cli.PostriderCommand",
                "dead",
                "retry",
                "--aggregate",
                "order/" + order,
                "--yes",
                "--as",
                NAME,
                "--db-url",
                postgres.jdbcUrl(),
                "--db-user",
                postgres.user());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("POSTRIDER_DB_PASSWORD", postgres.password());
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
