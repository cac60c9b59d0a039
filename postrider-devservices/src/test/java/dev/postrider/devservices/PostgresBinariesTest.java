package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresBinariesTest {

    @Test
    void unpackingTwiceAtOnceAndOverTheRemainsOfAKilledOneGivesOneCompleteCopy(@TempDir Path cache) throws Exception {
        Path remains = cache.resolve("postgres-something.unpacking-" + endedPid() + "-1");
        Files.createDirectories(remains.resolve("bin"));
        Path atWork = cache.resolve(
                "postgres-something.unpacking-" + ProcessHandle.current().pid() + "-1");
        Files.createDirectories(atWork);

        CompletableFuture<PostgresBinaries> other =
                CompletableFuture.supplyAsync(() -> PostgresBinaries.unpackedIn(cache));
        PostgresBinaries mine = PostgresBinaries.unpackedIn(cache);

        assertThat(other.get().program("postgres")).isEqualTo(mine.program("postgres"));
        assertThat(new Command(List.of(mine.program("postgres"), "--version"), cache)
                        .run(Duration.ofSeconds(10))
                        .output())
                .startsWith("postgres (PostgreSQL) ");
        try (Stream<Path> entries = Files.list(cache)) {
            assertThat(entries).hasSize(2).contains(atWork).doesNotContain(remains);
        }
    }

    private static long endedPid() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-version")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.waitFor();
        return process.pid();
    }
}
