package dev.postrider.settings;

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
                .isInstanceOf(InvalidOptionException.class)
                .hasMessage("--x is [" + text + "]; it must be a duration such as 200ms, 5s, 10m or 1h.");
    }

    @ParameterizedTest
    @CsvSource({"PT0.25S, 250ms", "PT1.5S, 1500ms", "PT60S, 1m", "PT90S, 90s", "PT0S, 0ms", "PT-24H, -1d"})
    void durationsArePrintedInTheLargestUnitThatFits(Duration duration, String expected) {
        assertThat(Formats.DURATION.print(duration)).isEqualTo(expected);
    }

    @Test
    void boundsHoldForTextsAndForValues() {
        Format<Duration> format = Formats.durationBetween(Duration.ofMillis(100), Duration.ofSeconds(10));

        assertThatThrownBy(() -> format.parse("11s", "--x"))
                .hasMessage("--x is [11s]; it must be a duration from 100ms to 10s.");
        assertThatThrownBy(() -> format.check(Duration.ofSeconds(11), "x"))
                .hasMessage("x is 11s; it must be a duration from 100ms to 10s.");
        assertThat(format.parse("10s", "--x")).isEqualTo(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-1", "1.0", "11", "99999999999", "ten"})
    void otherNumbersAreRefused(String text) {
        assertThatThrownBy(() -> Formats.wholeNumber(0, 10).parse(text, "--x"))
                .hasMessage("--x is [" + text + "]; it must be a whole number from 0 to 10.");
    }

    @Test
    void numbersThatAreNoneAreRefused() {
        assertThatThrownBy(() -> Formats.number(0, 10).parse("NaN", "--x")).isInstanceOf(InvalidOptionException.class);
    }

    @Test
    void textMustNotBeBlank() {
        assertThatThrownBy(() -> Formats.TEXT.parse(" ", "--x")).hasMessage("--x is [ ]; it must be some text.");
    }
}
