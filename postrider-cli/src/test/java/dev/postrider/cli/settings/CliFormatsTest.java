package dev.postrider.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.settings.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CliFormatsTest {
    @ParameterizedTest
    @ValueSource(strings = {"localhost:9092", "a:1,b:2", "a.b-c.example:9092, 10.0.0.1:9092", "[::1]:9092"})
    void serversAreHostsWithPorts(String text) {
        assertThat(CliFormats.SERVERS.parse(text, "--kafka")).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:", ":9092", "a:1,", "a:b", "http://a:9092", "a:1;b:2"})
    void otherServersAreRefused(String text) {
        assertThatThrownBy(() -> CliFormats.SERVERS.parse(text, "--kafka")).isInstanceOf(InvalidOptionException.class);
    }

    @Test
    void secretsAreNeverQuoted() {
        assertThatThrownBy(() -> CliFormats.SECRET_PAIRS.parse("s3cret", "POSTRIDER_KAFKA_PROPERTIES"))
                .hasMessageContaining("POSTRIDER_KAFKA_PROPERTIES")
                .hasMessageNotContaining("s3cret");
    }
}
