package dev.postrider.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page lists every setting as the table of settings has it, no more and no less. */
class ConfigurationPageTest {

    @Test
    void pageListsEverySettingWithItsDefault() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration.md"));

        assertThat(page).contains(table());
    }

    private static String table() {
        return KnownSettings.all().stream()
                .map(setting -> "| `%s` | %s | %s | %s |"
                        .formatted(
                                setting.key(),
                                setting.flag() == null ? "" : "`" + setting.flag() + "`",
                                setting.standardText().isEmpty() ? "" : "`" + setting.standardText() + "`",
                                setting.description() + ": "
                                        + setting.format().allowed().replace("|", "\\|")))
                .collect(Collectors.joining("\n"));
    }
}
