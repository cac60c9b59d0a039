package dev.postrider.internal.spring.relay;

import dev.postrider.OutboxTable;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** In the place of a relay, in an application that only writes: relays in other processes are told of its commits. */
public final class NotifierLifecycle implements SmartLifecycle {
    private final RelayConnections connections;
    private final OutboxTable table;
    private final CommitSignal signal;
    private RelayConnections.@Nullable Open open;
    private @Nullable OtherRelays relays;

    public NotifierLifecycle(RelayConnections connections, OutboxTable table, CommitSignal signal) {
        this.connections = connections;
        this.table = table;
        this.signal = signal;
    }

    @Override
    public synchronized void start() {
        if (open == null) {
            RelayConnections.Open fresh = connections.open("postrider-notify", 1, 1);
            OtherRelays others = new OtherRelays(fresh.dataSource(), table);
            open = fresh;
            relays = others;
            signal.tell(others::committed);
        }
    }

    @Override
    public synchronized void stop() {
        signal.tell(null);
        OtherRelays others = relays;
        RelayConnections.Open known = open;
        relays = null;
        open = null;
        if (others != null) {
            others.close();
        }
        if (known != null) {
            known.close();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return open != null;
    }

    @Override
    public int getPhase() {
        return RelayLifecycle.PHASE;
    }
}
