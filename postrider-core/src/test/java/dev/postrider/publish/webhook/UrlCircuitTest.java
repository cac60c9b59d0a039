package dev.postrider.publish.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class UrlCircuitTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final UrlCircuit circuit = new UrlCircuit("webhook at host", Duration.ofSeconds(30));

    @Test
    void halfOfAtLeastFiveFailuresOpensItForAWhile() {
        answer(4, true);
        assertThat(circuit.isClosed()).isTrue();
        answer(1, true);

        assertThat(circuit.isClosed()).isFalse();
        assertThat(circuit.permits(SECOND)).isZero();
        assertThat(circuit.take(29 * SECOND)).isFalse();
        assertThat(circuit.permits(30 * SECOND)).isEqualTo(3);
    }

    @Test
    void oldSuccessesDoNotCountForEver() {
        answer(100, false);

        answer(5, true);

        assertThat(circuit.isClosed()).isFalse();
    }

    @Test
    void threeTrialsThatGetThroughCloseIt() {
        answer(5, true);
        tryThree();
        assertThat(circuit.take(31 * SECOND)).as("a fourth").isFalse();

        answer(3, false);

        assertThat(circuit.isClosed()).isTrue();
        assertThat(circuit.permits(31 * SECOND)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void oneTrialThatFailsOpensItAgain() {
        answer(5, true);
        tryThree();

        answer(2, false);
        assertThat(circuit.answered(true, 31 * SECOND)).isTrue();

        assertThat(circuit.permits(60 * SECOND)).isZero();
        assertThat(circuit.permits(61 * SECOND)).isEqualTo(3);
    }

    @Test
    void trialThatNothingIsKnownOfIsMadeAgain() {
        answer(5, true);
        tryThree();

        circuit.giveBack();

        assertThat(circuit.permits(31 * SECOND)).isEqualTo(1);
    }

    private void tryThree() {
        for (int i = 0; i < 3; i++) {
            assertThat(circuit.take(30 * SECOND)).isTrue();
        }
    }

    private void answer(int times, boolean failed) {
        for (int i = 0; i < times; i++) {
            circuit.answered(failed, 0);
        }
    }
}
