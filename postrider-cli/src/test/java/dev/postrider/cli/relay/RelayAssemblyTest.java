package dev.postrider.cli.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.WakeUp;
import dev.postrider.cli.configuration.SettingsReader;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
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
    void streamWithoutARoleThatReadsItIsRefusedBeforeAnythingIsOpened() {
        Map<String, String> stream = Map.of("POSTRIDER_RELAY_WAKE_UP", "wal");
        Settings alone = SettingsReader.read(directory, null, stream, Map.of()).general();

        assertThatThrownBy(() -> new RelayAssembly(alone, directory))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("relay.wake-up is wal")
                .hasMessageContaining("db.replication-user");

        Map<String, String> withRole =
                Map.of("POSTRIDER_RELAY_WAKE_UP", "wal", "POSTRIDER_DB_REPLICATION_USER", "bell");
        Settings both = SettingsReader.read(directory, null, withRole, Map.of()).general();
        assertThat(new RelayAssembly(both, directory).settings().polling().wakeUp())
                .isEqualTo(WakeUp.WAL);
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
