package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelaySettingsTest {

    @Test
    void transactionHasFiveThousandEventsUnlessSaidOtherwise() {
        assertThat(RelaySettings.defaults().transactionSize()).isEqualTo(5_000);
        assertThat(RelaySettings.builder().transactionSize(1).build().transactionSize())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10_001})
    void transactionSizeOutOfRangeIsRefused(int size) {
        assertThatThrownBy(() -> RelaySettings.builder().transactionSize(size).build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("transaction-size is " + size)
                .hasMessageContaining("between 1 and 10000");
    }

    /** In containers all of them have the same process id. */
    @Test
    void relaysWithoutANameHaveDifferentOnes() {
        Set<String> names = Stream.generate(
                        () -> RelaySettings.builder().build().name())
                .limit(4)
                .collect(Collectors.toSet());

        assertThat(names).hasSizeGreaterThan(1).allMatch(name -> name.matches("relay-\\d+-[0-9a-f]{4}"));
    }
}
