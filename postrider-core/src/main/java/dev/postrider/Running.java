package dev.postrider;

import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.lease.InstanceLease;
import dev.postrider.internal.lease.PauseWatch;
import dev.postrider.internal.lease.ShardLeases;
import dev.postrider.internal.relay.Worker;
import dev.postrider.internal.store.OutboxStore.CommitListener;
import dev.postrider.internal.store.jdbc.Bell;
import org.jspecify.annotations.Nullable;

/** What a relay has while it runs: put together once, started once, and ended once, in one of two ways. */
record Running(
        InstanceLease lease,
        Worker worker,
        @Nullable ShardLeases shards,
        PauseWatch pauseWatch,
        @Nullable CommitListener commits,
        @Nullable Bell bell,
        @Nullable Housekeeper housekeeper) {

    void start() {
        if (housekeeper != null) {
            housekeeper.start();
        }
        worker.start();
    }

    /**
     * In this order: no more housekeeping, no more shards; what is in flight is awaited and settled; the lease, renewed
     * until here, is given up, so that others take over at once whatever could not be settled.
     */
    void stop() {
        askOthersToStop();
        if (shards != null) {
            shards.close();
        }
        try {
            worker.stop();
            closeOthers();
        } finally {
            lease.close();
        }
    }

    /** Nobody knows what was being done: it counts as that of a relay that has died. */
    void abandon() {
        askOthersToStop();
        try {
            worker.abandon();
            closeOthers();
        } finally {
            lease.abandon();
        }
    }

    private void askOthersToStop() {
        if (housekeeper != null) {
            housekeeper.askToStop();
        }
        if (commits != null) {
            commits.askToStop();
        }
        if (bell != null) {
            bell.askToStop();
        }
    }

    private void closeOthers() {
        if (housekeeper != null) {
            housekeeper.close();
        }
        if (commits != null) {
            commits.close();
        }
        if (bell != null) {
            bell.close();
        }
    }

    /** What wakes it, while it is alive. */
    RelayState.Waking waking() {
        String lacking = bell == null ? null : bell.silentBecause();
        if (bell != null && lacking == null) {
            return new RelayState.Waking(WakeUp.WAL, null);
        }
        return new RelayState.Waking(commits == null ? WakeUp.POLL : WakeUp.NOTIFY, lacking);
    }
}
