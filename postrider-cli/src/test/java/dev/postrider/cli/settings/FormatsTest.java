package dev.postrider.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormatsTest {
    @ParameterizedTest
    @CsvSource({"200ms, PT0.2S", "5s, PT5S", "10m, PT10M", "1h, PT1H", "2d, PT48H", "0s, PT0S"})
    void durationsHaveAUnit(String text, Duration expected) {
        assertThat(Formats.DURATION.parse(text, "--x")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-5s", "1.5s", "5 weeks", "5S", "99999999999s"})
    void otherDurationsAreRefused(String text) {
        assertThatThrownBy(() -> Formats.DURATION.parse(text, "--x"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--x is [" + text + "]");
    }

    @ParameterizedTest
    @CsvSource({"PT0.25S, 250ms", "PT1.5S, 1500ms", "PT60S, 1m", "PT90S, 90s", "PT0S, 0ms"})
    void durationsArePrintedInTheLargestUnitThatFits(Duration duration, String expected) {
        assertThat(Formats.DURATION.print(duration)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9092", "a:1,b:2", "a.b-c.example:9092, 10.0.0.1:9092", "[::1]:9092"})
    void serversAreHostsWithPorts(String text) {
        assertThat(Formats.SERVERS.parse(text, "--kafka")).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:", ":9092", "a:1,", "a:b", "http://a:9092", "a:1;b:2"})
    void otherServersAreRefused(String text) {
        assertThatThrownBy(() -> Formats.SERVERS.parse(text, "--kafka")).isInstanceOf(UsageException.class);
    }

    @Test
    void secretsAreNeverQuoted() {
        assertThatThrownBy(() -> Formats.PAIRS.parse("s3cret", "POSTRIDER_KAFKA_PROPERTIES"))
                .hasMessageContaining("POSTRIDER_KAFKA_PROPERTIES")
                .hasMessageNotContaining("s3cret");
    }
}
