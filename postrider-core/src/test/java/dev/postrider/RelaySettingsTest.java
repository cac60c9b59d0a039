package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.failure.RetryPolicy;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelaySettingsTest {

    @Test
    void transactionHasFiveThousandEventsUnlessSaidOtherwise() {
        assertThat(RelaySettings.defaults().batch().transactionSize()).isEqualTo(5_000);
        assertThat(RelaySettings.builder().transactionSize(1).build().batch().transactionSize())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10_001})
    void transactionSizeOutOfRangeIsRefused(int size) {
        assertThatThrownBy(() -> RelaySettings.builder().transactionSize(size).build())
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("transaction-size is " + size)
                .hasMessageContaining("from 1 to 10000");
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

    @Test
    void orderInWhichLimitsAreSetDoesNotMatter() {
        RelaySettings settings =
                RelaySettings.builder().maxBatchBytes(10).maxEventBytes(5).build();

        assertThat(settings.batch().maxBytes()).isEqualTo(10);
        assertThat(settings.batch().maxEventBytes()).isEqualTo(5);
        assertThatThrownBy(() -> RelaySettings.builder().maxBatchBytes(10).build())
                .hasMessage(
                        "relay.max-event-bytes is 16777216; it must be at most relay.max-batch-bytes, which is 10.");
    }

    @Test
    void policyAndWhetherOutagesCountAreSetApart() {
        RetryPolicy policy = (event, failure, attempt) -> RetryPolicy.giveUp();
        RelaySettings settings =
                RelaySettings.builder().countOutages(true).retry(policy).build();

        assertThat(settings.retry().policy()).isSameAs(policy);
        assertThat(settings.retry().countOutages()).isTrue();
    }
}
