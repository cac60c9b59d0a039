package dev.postrider.internal.source.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When keys are open, and which of the closed ones may be looked at. */
class KeyGateTest {
    private final KeyGate gate = new KeyGate();

    @Test
    void keyIsClosedUntilTheLastOfItsEventsHasGone() {
        gate.raise(1);
        gate.raise(1, 2);
        gate.lower(1);
        gate.lower(1);
        assertThat(gate.isClosed(1)).isTrue();
        assertThat(gate.isClosed(2)).isFalse();

        gate.lower(1);

        assertThat(gate.isClosed(1)).isFalse();
        assertThat(gate.closedKeys()).isZero();
    }

    @Test
    void keyThatIsReadyStaysSoUntilItWaitsOrIsOpen() {
        gate.raise(1);
        gate.raise(2);
        gate.ready(1);
        gate.ready(2);
        assertThat(gate.readyKeys(10)).containsExactly(1L, 2L);
        assertThat(gate.readyKeys(1)).containsExactly(1L);

        gate.waits(1);
        gate.lower(2);

        assertThat(gate.hasReady()).isFalse();
    }

    @Test
    void openKeyIsNeverReady() {
        gate.ready(1);

        assertThat(gate.hasReady()).isFalse();
    }

    @Test
    void keyIsNotLookedAtWhileItsEventsAreInFlight() {
        gate.raise(1, 2);
        gate.ready(1);
        gate.sent(1);
        gate.sent(1);
        assertThat(gate.hasReady()).isFalse();
        assertThat(gate.isAnythingInFlight()).isTrue();

        gate.answered(1);
        assertThat(gate.readyKeys(10)).isEmpty();
        gate.answered(1);

        assertThat(gate.readyKeys(10)).containsExactly(1L);
        assertThat(gate.isAnythingInFlight()).isFalse();
    }

    /** Or a few keys with many events would be sent to their end before any other key has its turn. */
    @Test
    void keyHasAnotherTurnAfterAllOthersThatAreReady() {
        for (long key = 1; key <= 3; key++) {
            gate.raise(key, 100);
            gate.ready(key);
        }
        assertThat(gate.readyKeys(2)).containsExactly(1L, 2L);
        gate.sent(1);
        gate.sent(2);
        gate.raise(4);
        gate.ready(4);
        gate.answered(1);
        gate.answered(2);

        assertThat(gate.readyKeys(2)).as("has not had a turn").startsWith(3L);
        gate.sent(3);
        gate.answered(3);

        assertThat(gate.readyKeys(4)).containsExactly(1L, 2L, 4L, 3L);
        gate.sent(1);
        gate.sent(2);
        assertThat(gate.readyKeys(4)).as("one that came later has its turn too").containsExactly(4L, 3L);
    }

    @Test
    void keyThatWaitsIsNotReadyBecauseItsEventIsSent() {
        gate.raise(1, 2);
        gate.sent(1);
        gate.answered(1);

        assertThat(gate.hasReady()).isFalse();
    }
}
