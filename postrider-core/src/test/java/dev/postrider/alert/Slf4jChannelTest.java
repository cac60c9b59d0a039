package dev.postrider.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.alert.Alert.Severity;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class Slf4jChannelTest {

    @Test
    void levelSaysHowSoonSomebodyShouldAct() {
        assertThat(logged(alert(Severity.WARNING, "1", false))).contains("WARN", "[one] alert: title: text (count: 1)");
        assertThat(logged(alert(Severity.CRITICAL, "1", false))).contains("ERROR", "[one] alert: title");
        assertThat(logged(alert(Severity.WARNING, "1", true))).contains("INFO", "[one] over: title");
    }

    /** The relay logs each itself. */
    @Test
    void singleDeadLetterIsNoSecondError() {
        assertThat(logged(
                        new Alert(Alert.DEAD_LETTER, Severity.CRITICAL, "title", "text", Map.of("id", "4711"), false)))
                .doesNotContain("ERROR");
        assertThat(logged(
                        new Alert(Alert.DEAD_LETTER, Severity.CRITICAL, "title", "text", Map.of("count", "50"), false)))
                .contains("ERROR");
    }

    @Test
    void longValuesAreLeftOut() {
        assertThat(logged(alert(Severity.CRITICAL, "x".repeat(5000), false)))
                .contains("(count: 5000 characters)")
                .doesNotContain("xxx");
    }

    private static Alert alert(Severity severity, String count, boolean recovery) {
        return new Alert("rule", severity, "title", "text", Map.of("count", count), recovery);
    }

    private static String logged(Alert alert) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            new Slf4jChannel("one").send(alert);
        } finally {
            System.setErr(before);
        }
        return written.toString(StandardCharsets.UTF_8);
    }
}
