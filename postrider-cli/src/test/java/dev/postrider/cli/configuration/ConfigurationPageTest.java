package dev.postrider.cli.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page lists every option as its group has it, no more and no less. */
class ConfigurationPageTest {

    @Test
    void pageListsEveryOptionWithItsDefault() throws IOException {
        String page = ConfigurationPage.read();
        String now = ConfigurationPage.with(page, KnownSettings.groups());
        Path target = Path.of("target", "configuration.md");
        Files.createDirectories(target.getParent());
        Files.writeString(target, now);

        assertThat(page)
                .as("If the options are meant, copy postrider-cli/target/configuration.md to docs/configuration.md.")
                .isEqualTo(now);
    }
}
