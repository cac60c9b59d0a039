package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.RelaySettings;
import dev.postrider.RelaySettings.Polling;
import dev.postrider.examples.Requirement;
import dev.postrider.failure.Backoff;
import dev.postrider.settings.DeliverySettings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the files of the relay say, whatever other tests have set. */
class FiguresTest {

    @ParameterizedTest
    @ValueSource(strings = {"relay.yml", "relay-literal.yml"})
    @Requirement("L2")
    void pollsEvery200MillisecondsForFiftyEventsByDueTime(String file) {
        RelaySettings settings = settings(file);

        assertThat(settings.polling().interval()).isEqualTo(Duration.ofMillis(200));
        assertThat(settings.polling().mode()).isEqualTo(Polling.FIXED);
        assertThat(settings.batch().size()).isEqualTo(50);
        assertThat(settings.delivery().ordering()).isEqualTo(DeliverySettings.ORDERING.parse("none"));
    }

    @ParameterizedTest
    @CsvSource({"relay.yml, false", "relay-literal.yml, true"})
    @Requirement("L4")
    void retriesFiveTimesFromOneSecondOn(String file, boolean outagesCount) {
        RelaySettings settings = settings(file);

        assertThat(settings.retry().countOutages()).isEqualTo(outagesCount);
        assertThat(settings.retry().policy()).isInstanceOfSatisfying(Backoff.class, backoff -> {
            assertThat(backoff.base()).isEqualTo(Duration.ofSeconds(1));
            assertThat(backoff.multiplier()).isEqualTo(2);
            assertThat(backoff.jitter()).isZero();
            assertThat(backoff.maxRetries()).isEqualTo(5);
        });
    }

    @Test
    void theTableIsThatOfTheSystem() {
        assertThat(EmbeddedRelay.with(Path.of("relay.yml")).table()).isEqualTo(Database.OUTBOX);
    }

    private static RelaySettings settings(String file) {
        return EmbeddedRelay.with(Path.of(file)).settings();
    }
}
