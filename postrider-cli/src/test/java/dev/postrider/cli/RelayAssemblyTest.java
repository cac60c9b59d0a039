package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.settings.Settings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users set reaches the relay. */
class RelayAssemblyTest {
    @TempDir
    Path directory;

    @Test
    void transactionSizeReachesTheRelay() {
        Settings settings = Settings.read(directory, null, Map.of("POSTRIDER_RELAY_TRANSACTION_SIZE", "250"), Map.of());

        assertThat(new RelayAssembly(settings, directory).settings().transactionSize())
                .isEqualTo(250);
    }
}
