package dev.postrider.internal.spring.relay;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.Relay;
import dev.postrider.RelayState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The relay in the life of the application: it starts before the web server and listeners do, and stops after them, when
 * nobody writes any more. A stop waits for what is in flight. Each start makes a new relay.
 */
public final class RelayLifecycle implements SmartLifecycle {
    /**
     * Before, and at the end after, everything that writes events: web servers, listeners and executors have high phases,
     * simple life cycles have 0.
     */
    public static final int PHASE = -1024;

    private final RelayConnections connections;
    private final RelayDestination destination;
    private final OutboxTables tables;
    private final RelayAssembly assembly;
    private final CommitSignal signal;

    /** Guards the start and the stop. */
    private final Object guard = new Object();

    private volatile @Nullable Running running;

    private record Running(Relay relay, RelayConnections.Open connections, OtherRelays others) {}

    public RelayLifecycle(
            RelayConnections connections,
            RelayDestination destination,
            OutboxTables tables,
            RelayAssembly assembly,
            CommitSignal signal) {
        this.connections = connections;
        this.destination = destination;
        this.tables = tables;
        this.assembly = assembly;
        this.signal = signal;
    }

    /** Empty while there is none. */
    public Optional<RelayState> state() {
        Running now = running;
        return now == null ? Optional.empty() : Optional.of(now.relay().state());
    }

    @Override
    public void start() {
        synchronized (guard) {
            if (running != null) {
                return;
            }
            OutboxLayout layout = tables.layout();
            // To look whether what the replication stream told of can be seen.
            int bell = assembly.replication() == null ? 0 : 1;
            RelayConnections.Open open = connections.open(
                    "postrider-" + assembly.settings().name(),
                    ConnectionsNeeded.least(layout) + bell,
                    ConnectionsNeeded.most(layout) + bell);
            try {
                Relay relay = assembly.build(open.dataSource(), destination.publisher(), tables.table());
                start(relay);
                running = new Running(relay, open, new OtherRelays(open.dataSource(), tables.table()));
            } catch (RuntimeException | Error e) {
                open.close();
                throw e;
            }
            signal.tell(this::committed);
        }
    }

    private static void start(Relay relay) {
        try {
            relay.start();
        } catch (RuntimeException | Error e) {
            relay.stop();
            throw e;
        }
    }

    private void committed() {
        Running now = running;
        if (now == null) {
            return;
        }
        now.relay().nudge();
        if (othersRead(now.relay())) {
            now.others().committed();
        }
    }

    /**
     * Of a log, every shard is read by one relay: what was written may be another's. Where the database could not be asked
     * how many shards there are, a relay that reads some does not know of others.
     */
    private boolean othersRead(Relay relay) {
        OutboxLayout layout = tables.layout();
        if (layout != null && layout.mode() != OutboxMode.LOG) {
            return false;
        }
        int own = relay.state().shards().size();
        return layout == null ? own > 0 : own < layout.shards();
    }

    @Override
    public void stop() {
        synchronized (guard) {
            Running now = running;
            if (now == null) {
                return;
            }
            signal.tell(null);
            running = null;
            try {
                now.relay().stop();
            } finally {
                now.others().close();
                now.connections().close();
            }
        }
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Where the application has made one publisher, a relay that stops cannot be started again: it goes on. */
    @Override
    public boolean isPauseable() {
        return destination.isRepeatable();
    }
}
