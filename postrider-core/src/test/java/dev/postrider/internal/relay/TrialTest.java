package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.lease.Ownership;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/** After an outage one event tries the destination, and whatever becomes of the trial, there is another; and what a lapse means. */
class TrialTest {
    private static final Duration OPEN = Duration.ofMillis(1);

    private final OneEvent source = new OneEvent();
    private final Lease lease = new Lease();
    private final RecordingPublisher destination = RecordingPublisher.acceptingAll();
    private final Circuit circuit = new Circuit("test", new CircuitSettings(1, 1, 100, OPEN, 1), state -> {});
    private final RelayLoop loop =
            new RelayLoop(RelaySettings.builder().build(), source, destination, lease, circuit, new RelayListener() {});

    @Test
    void trialThatCameTooLateForTheLeaseIsNotTheLast() throws Exception {
        haveAnOutage();
        lease.lapsed = true;
        assertThat(loop.runOnce().fetched()).isEqualTo(1);
        assertThat(circuit.state()).isEqualTo(Circuit.State.HALF_OPEN);

        lease.lapsed = false;
        assertThat(loop.runOnce().published()).isEqualTo(1);
        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
    }

    @Test
    void trialForWhichNoEventCouldBeFetchedIsNotTheLast() throws Exception {
        haveAnOutage();
        source.broken = true;
        assertThatThrownBy(loop::runOnce).hasMessage("broken");

        source.broken = false;
        assertThat(loop.runOnce().published()).isEqualTo(1);
        assertThat(circuit.state()).isEqualTo(Circuit.State.CLOSED);
    }

    /** It would count its own events as those of a dead relay. */
    @Test
    void relayWhoseLeaseHasLapsedPutsNothingBack() throws Exception {
        lease.lapsed = true;
        loop.runOnce();
        assertThat(source.repairs).isZero();

        lease.lapsed = false;
        loop.runOnce();
        assertThat(source.repairs).isEqualTo(1);
    }

    private void haveAnOutage() throws Exception {
        destination.answer(event -> new PublishResult.Unavailable("down"));
        loop.runOnce();
        assertThat(circuit.state()).isEqualTo(Circuit.State.OPEN);
        destination.answer(event -> new PublishResult.Accepted());
        await().until(() -> circuit.permits(1) == 1);
        circuit.giveBack(1);
    }

    private static final class Lease implements Ownership {
        private boolean lapsed;

        @Override
        public String owner() {
            return "test";
        }

        @Override
        public boolean holds() {
            return !lapsed;
        }

        @Override
        public void replace() {}
    }

    /** The same event whenever it is asked. */
    private static final class OneEvent implements EventSource {
        private boolean broken;
        private int repairs;
        private List<Settlement> settled = List.of();

        @Override
        public Fetched fetch(int maxEvents, long maxBytes) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            OutboxEvent event = OutboxEvent.builder("acme.a.b.v1")
                    .aggregate("a", "1")
                    .json("{}")
                    .build();
            StoredEvent stored =
                    new StoredEvent(new RowClaim(1, "", 1, 1, 0, 0, Duration.ZERO), event, System.nanoTime());
            return new Fetched(List.of(stored), List.of(), false, false);
        }

        @Override
        public Fetched fetchSuspects(int maxEvents, long maxBytes) {
            return new Fetched(List.of(), List.of(), false, false);
        }

        @Override
        public void settle(List<Settlement> settlements) {
            settled = settlements;
        }

        @Override
        public void bury(List<Settlement.Dead> dead) {}

        @Override
        public Settled settled() {
            Settled now = new Settled(settled, Set.of());
            settled = List.of();
            return now;
        }

        @Override
        public Repaired repair() {
            repairs++;
            return new Repaired(0, 0, false);
        }

        @Override
        public Released releaseBlocked(ToIntFunction<String> releasable) {
            return Released.NOTHING;
        }

        @Override
        public boolean isTransactional() {
            return false;
        }

        @Override
        public boolean isInDoubt() {
            return false;
        }

        @Override
        public void startOver() {}

        @Override
        public boolean isLineToBeStopped() {
            return false;
        }

        @Override
        public Backlog backlog() {
            return new Backlog(0, Duration.ZERO);
        }

        @Override
        public void close() {}
    }
}
