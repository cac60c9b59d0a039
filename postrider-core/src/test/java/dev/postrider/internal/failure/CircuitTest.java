package dev.postrider.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Logged;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CircuitTest {
    private static final PublishResult ACCEPTED = new PublishResult.Accepted();
    private static final PublishResult UNAVAILABLE = new PublishResult.Unavailable("no broker");

    private final List<Circuit.State> changes = new ArrayList<>();

    @Test
    void closedCircuitLetsEverythingThrough() {
        assertThat(circuit(Duration.ofMinutes(1)).permits(500)).isEqualTo(500);
    }

    @Test
    void halfOfAtLeastFiveFailuresOpensIt() {
        Circuit circuit = circuit(Duration.ofMinutes(1));

        record(circuit, 4, UNAVAILABLE);
        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
        record(circuit, 1, UNAVAILABLE);

        assertThat(circuit.state()).isEqualTo(Circuit.State.OPEN);
        assertThat(circuit.permits(500)).isZero();
        assertThat(changes).containsExactly(Circuit.State.OPEN);
    }

    @Test
    void rejectedEventsShowThatTheDestinationIsUp() {
        Circuit circuit = circuit(Duration.ofMinutes(1));

        record(circuit, 100, new PublishResult.Rejected("too large", true));

        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
    }

    @Test
    void eventsThatFindNoWayInWhileOthersDoAreNoOutage() {
        Circuit circuit = circuit(Duration.ofMinutes(1));
        long handedOver = System.nanoTime();
        circuit.record(ACCEPTED, handedOver, handedOver + 1);

        for (int i = 0; i < 100; i++) {
            circuit.record(UNAVAILABLE, handedOver, handedOver + 2);
        }

        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
    }

    @Test
    void afterItsTimeItLetsThreeEventsTryAndClosesIfTheyAreAccepted() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));
        record(circuit, 5, UNAVAILABLE);
        await().until(() -> circuit.permits(1) == 1);

        assertThat(circuit.state()).isEqualTo(Circuit.State.HALF_OPEN);
        assertThat(circuit.permits(500)).isEqualTo(2);
        circuit.giveBack(1);
        assertThat(circuit.permits(500)).isEqualTo(1);
        record(circuit, 3, ACCEPTED);

        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
        assertThat(changes).containsExactly(Circuit.State.OPEN, Circuit.State.HALF_OPEN, Circuit.State.CLOSED);
    }

    @Test
    void trialThatFailsOpensItAgain() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));
        record(circuit, 5, UNAVAILABLE);
        await().until(() -> circuit.permits(3) == 3);

        record(circuit, 3, UNAVAILABLE);

        assertThat(circuit.state()).isEqualTo(Circuit.State.OPEN);
    }

    @Test
    void oneTrialOfThreeThatFailsOpensItAgain() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));
        record(circuit, 5, UNAVAILABLE);
        await().until(() -> circuit.permits(3) == 3);

        record(circuit, 1, ACCEPTED);
        record(circuit, 1, UNAVAILABLE);
        record(circuit, 1, ACCEPTED);

        assertThat(changes).containsExactly(Circuit.State.OPEN, Circuit.State.HALF_OPEN, Circuit.State.OPEN);
    }

    @Test
    void blockedEventsSayNothingOfTheCluster() {
        Circuit circuit = circuit(Duration.ofMinutes(1));

        record(circuit, 100, new PublishResult.Blocked("a-topic", "missing", "There is no such topic."));
        record(circuit, 5, UNAVAILABLE);

        assertThat(circuit.state()).isEqualTo(Circuit.State.OPEN);
    }

    @Test
    void itStaysOpenForAsLongAsTheDestinationAsks() {
        Circuit circuit = circuit(Duration.ofMillis(1));
        long begin = System.nanoTime();
        record(circuit, 4, new PublishResult.Unavailable("http-503", "down", Duration.ofMillis(300)));
        assertThat(circuit.permits(7)).as("a closed circuit lets others try").isEqualTo(7);
        record(circuit, 1, UNAVAILABLE);

        await().pollInterval(Duration.ofMillis(5)).until(() -> circuit.permits(1) == 1);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(changes).containsExactly(Circuit.State.OPEN, Circuit.State.HALF_OPEN);
    }

    @Test
    void changesAreLoggedWithFailureRateStatesAndTheEndOfTheOutage() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));

        assertThat(Logged.during(() -> {
                    record(circuit, 1, ACCEPTED);
                    record(circuit, 4, UNAVAILABLE);
                }))
                .satisfiesExactly(
                        line -> assertThat(line).contains("ERROR", "[test]", "80 % of the last 10 failed"),
                        line -> assertThat(line).contains("WARN", "[test] circuit closed → open"));
        assertThat(Logged.during(() -> {
                    await().until(() -> circuit.permits(3) == 3);
                    record(circuit, 3, ACCEPTED);
                }))
                .satisfiesExactly(
                        line -> assertThat(line).contains("WARN", "circuit open → half-open"),
                        line -> assertThat(line).contains("WARN", "circuit half-open → closed"),
                        line -> assertThat(line).contains("INFO", "the destination accepts events again, after 0 s"));
    }

    @Test
    void destinationThatCouldNotBeReachedIsTriedAsSoonAsItIs() {
        Circuit circuit = circuit(Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) {
            circuit.unreachable();
        }
        assertThat(circuit.permits(500)).isZero();

        circuit.reached();
        assertThat(circuit.permits(500)).as("a few, to try").isEqualTo(3);
        circuit.unreachable();
        assertThat(circuit.permits(500)).as("a trial has failed by that").isZero();

        circuit.reached();
        record(circuit, circuit.permits(500), ACCEPTED);
        assertThat(changes)
                .containsExactly(
                        Circuit.State.OPEN,
                        Circuit.State.HALF_OPEN,
                        Circuit.State.OPEN,
                        Circuit.State.HALF_OPEN,
                        Circuit.State.CLOSED);
    }

    @Test
    void destinationThatIsReachedAndTakesNothingStaysAlone() {
        Circuit circuit = circuit(Duration.ofMinutes(1));
        circuit.unreachable();
        record(circuit, 4, UNAVAILABLE);

        circuit.reached();
        circuit.reached();

        assertThat(changes).containsExactly(Circuit.State.OPEN);
        assertThat(circuit.permits(500)).isZero();
    }

    @Test
    void trialsWhoseOutcomeNobodyWillTellAreMadeByOthers() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));
        record(circuit, 5, UNAVAILABLE);
        await().until(() -> circuit.permits(3) == 3);
        record(circuit, 1, ACCEPTED);
        assertThat(circuit.permits(500)).isZero();

        circuit.forgetTrials();

        assertThat(circuit.permits(500)).isEqualTo(3);
        record(circuit, 3, ACCEPTED);
        assertThat(changes).containsExactly(Circuit.State.OPEN, Circuit.State.HALF_OPEN, Circuit.State.CLOSED);
    }

    @Test
    void whatWasSentBeforeATrialAndComesBackUnsentAllowsNoFurtherTrials() {
        Circuit circuit = circuit(Duration.ofNanos(1_000_000));
        record(circuit, 5, UNAVAILABLE);
        long before = System.nanoTime();
        await().until(() -> circuit.permits(1) == 1);

        for (int i = 0; i < 100; i++) {
            circuit.record(new PublishResult.Unresolved(), before, System.nanoTime());
        }

        assertThat(circuit.permits(500)).as("trials beside the one under way").isEqualTo(2);
    }

    @Test
    void circuitThatIsOffIsNeverOpen() {
        Circuit circuit = new Circuit("test", CircuitSettings.OFF, changes::add);

        record(circuit, 1000, UNAVAILABLE);
        circuit.unreachable();
        circuit.reached();
        circuit.forgetTrials();

        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
        assertThat(circuit.permits(500)).isEqualTo(500);
        assertThat(circuit.permits(500)).isEqualTo(500);
        assertThat(changes).isEmpty();
    }

    private Circuit circuit(Duration openFor) {
        return new Circuit("test", new CircuitSettings(10, 5, 50, openFor, 3), changes::add);
    }

    private static void record(Circuit circuit, int times, PublishResult result) {
        for (int i = 0; i < times; i++) {
            long now = System.nanoTime();
            circuit.record(result, now, now + 1);
        }
    }
}
