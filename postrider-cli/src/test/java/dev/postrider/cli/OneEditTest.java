package dev.postrider.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.RelayOptions;
import dev.postrider.settings.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An option of a relay is declared once, in core. Everything that users meet of it follows. */
class OneEditTest {
    @TempDir
    Path directory;

    static Stream<Option<?>> options() {
        return RelayOptions.all().stream();
    }

    @ParameterizedTest
    @MethodSource("options")
    void optionIsInTheHelpWithItsKeyAndItsVariable(Option<?> option) {
        Session session = new Session(directory);
        session.run("help", "settings");

        assertThat(session.out().lines().map(line -> List.of(line.strip().split("\\s+"))))
                .anyMatch(words -> words.containsAll(List.of(option.key(), variable(option))));
        assertThat(session.out()).contains(option.description().substring(0, 20));
    }

    @Test
    void optionsThatHaveFlagsAreFlags() {
        Session session = new Session(directory);
        session.run("relay", "--help");

        assertThat(options().map(Option::flag).filter(flag -> flag != null))
                .isNotEmpty()
                .allMatch(flag -> session.out().contains(flag + "=<"));
    }

    /** What is unknown is refused before anything is missed; a value that is empty sets nothing. */
    @ParameterizedTest
    @MethodSource("options")
    void optionIsKnownInTheFileAndInTheEnvironment(Option<?> option) {
        Session session = new Session(directory);
        session.file("postrider.yml", option.key().replace(".", ": {") + ": " + "}".repeat(dots(option)));
        session.variable(variable(option), "");
        session.run("status");

        assertThat(session.err()).contains("db.url is needed");
    }

    private static int dots(Option<?> option) {
        return (int) option.key().chars().filter(character -> character == '.').count();
    }

    @Test
    void optionsAreInTheDocumentation() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "configuration.md"));

        assertThat(options()).allMatch(option -> page.contains("\n| `" + option.key() + "` "));
    }

    private static String variable(Option<?> option) {
        return "POSTRIDER_" + option.key().toUpperCase(Locale.ROOT).replaceAll("[.-]", "_");
    }
}
