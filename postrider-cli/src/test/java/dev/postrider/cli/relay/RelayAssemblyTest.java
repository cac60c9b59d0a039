package dev.postrider.cli.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.configuration.SettingsReader;
import dev.postrider.cli.settings.Settings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users set reaches the relay. {@code RelayOptionsTest} has every option; here is the way from a file to them. */
class RelayAssemblyTest {
    @TempDir
    Path directory;

    @Test
    void transactionSizeReachesTheRelay() {
        Settings settings = SettingsReader.read(
                        directory, null, Map.of("POSTRIDER_RELAY_TRANSACTION_SIZE", "250"), Map.of())
                .general();

        assertThat(new RelayAssembly(settings, directory).settings().batch().transactionSize())
                .isEqualTo(250);
    }

    @Test
    void filesAreRelativeToTheDirectory() {
        Settings settings = SettingsReader.read(
                        directory, null, Map.of("POSTRIDER_RELAY_DEAD_LETTER_FILE", "dead.jsonl"), Map.of())
                .general();

        assertThat(new RelayAssembly(settings, directory)
                        .settings()
                        .deadLetters()
                        .file())
                .isEqualTo(directory.resolve("dead.jsonl"));
    }

    @Test
    void defaultFileIsRelativeToTheDirectoryToo() {
        Settings settings =
                SettingsReader.read(directory, null, Map.of(), Map.of()).general();

        assertThat(new RelayAssembly(settings, directory)
                        .settings()
                        .deadLetters()
                        .file())
                .isEqualTo(directory.resolve("postrider-dead-letters.jsonl"));
    }
}
