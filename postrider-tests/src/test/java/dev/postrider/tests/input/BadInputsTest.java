package dev.postrider.tests.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.tests.input.BadInput.Answer;
import dev.postrider.tests.input.BadInput.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever makes no sense is told in one line, to the letter, with the right exit status, and changes nothing. */
class BadInputsTest {
    private static Playground playground;

    @BeforeAll
    static void open(@TempDir Path directory) {
        playground = new Playground(directory);
    }

    @AfterAll
    static void close() {
        playground.close();
    }

    static List<BadInput> all() {
        return Stream.of(
                        CommandLineInputs.all(),
                        YamlInputs.all(),
                        EnvironmentInputs.all(),
                        SqlInputs.all(),
                        JavaInputs.all())
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void thereAreAHundredAndFifteenOfEachKind() {
        assertThat(all()).hasSizeGreaterThanOrEqualTo(100);
        for (Kind kind : Kind.values()) {
            assertThat(all().stream().filter(input -> input.kind() == kind))
                    .as("%s", kind)
                    .hasSizeGreaterThanOrEqualTo(15);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void badInputIsToldInOneLineAndChangesNothing(BadInput input) throws Exception {
        String before = playground.content();

        Answer answer = input.attempt().make(playground);

        assertThat(answer.lines().stream().map(BadInputsTest::withoutNumbers))
                .as("lines")
                .containsExactly(input.line());
        assertThat(answer.status()).as("exit status").isEqualTo(input.status());
        assertThat(playground.content()).as("tables").isEqualTo(before);
    }

    /** What differs each time. */
    private static String withoutNumbers(String line) {
        return line.replaceAll("127\\.0\\.0\\.1:\\d{4,5}\\b", "127.0.0.1:#")
                .replaceAll("test_\\d+", "test_#")
                .replaceAll("[^ ]+/key\\.txt", "#/key.txt")
                .replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "#");
    }
}
