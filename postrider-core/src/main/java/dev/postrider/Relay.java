package dev.postrider;

import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertMonitor;
import dev.postrider.alert.AlertRules;
import dev.postrider.failure.Circuit;
import dev.postrider.failure.DeadLetters;
import dev.postrider.housekeeping.Housekeeper;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.lease.InstanceLease;
import dev.postrider.publish.Publisher;
import dev.postrider.relay.RelayLoop;
import dev.postrider.source.ClaimSource;
import dev.postrider.store.OutboxStore;
import dev.postrider.store.OutboxStore.CommitListener;
import dev.postrider.store.jdbc.JdbcStores;
import dev.postrider.store.jdbc.RelaySession;
import dev.postrider.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the events of an outbox: inside the application or as a process of its own, beside any
 * number of others like it. Keeps three connections of its data source while it runs: to claim and
 * settle, to renew its lease, and to be told of commits; and a fourth if it has housekeeping to do or
 * alerts to raise.
 *
 * <p>A relay is started once and stopped once.
 */
public final class Relay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Relay.class);

    private final RelaySettings settings;
    private final DataSource dataSource;
    private final OutboxTable table;
    private final Publisher publisher;
    private final RelayListener listener;
    private final ContentHash hash;
    private final HousekeepingSettings housekeeping;
    private final @Nullable AlertMonitor monitor;

    /** Changed under this object's lock; a nudge reads it without. */
    private volatile @Nullable Running running;

    private Relay(Builder builder) {
        this.settings = builder.settings;
        this.dataSource = builder.dataSource;
        this.table = builder.table;
        this.publisher = builder.publisher;
        this.hash = builder.hash;
        this.housekeeping = builder.housekeeping;
        this.monitor = builder.alertRules == null
                ? null
                : new AlertMonitor(settings.name(), table.toString(), builder.alertRules, builder.alertChannels);
        this.listener = monitor == null ? builder.listener : RelayListener.all(List.of(builder.listener, monitor));
    }

    /** What exists only between start and stop. */
    private record Running(
            InstanceLease lease,
            ClaimSource source,
            RelayLoop loop,
            @Nullable Thread thread,
            @Nullable CommitListener commits,
            @Nullable Housekeeper housekeeper) {}

    /**
     * @param publisher closed when the relay stops
     */
    public static Builder builder(DataSource dataSource, Publisher publisher) {
        return new Builder(dataSource, publisher);
    }

    /**
     * Checks that the outbox is there, takes the lease, and starts delivering on threads of its own.
     *
     * @throws PostriderException if the database cannot be reached or has no such outbox
     */
    public synchronized void start() {
        if (running != null) {
            throw new PostriderException("Relay " + settings.name() + " was started already.");
        }
        OutboxStore store = open();
        Running ready = assemble(store);
        Thread thread = new Thread(ready.loop(), "postrider-" + settings.name());
        CommitListener commits = store.listen(dataSource, settings.name(), ready.loop()::nudge);
        Housekeeper housekeeper = new Housekeeper(settings.name(), dataSource, store, housekeeping, monitor);
        running = new Running(ready.lease(), ready.source(), ready.loop(), thread, commits, housekeeper);
        if (monitor != null) {
            monitor.start();
        }
        housekeeper.start();
        thread.start();
        log.info(
                "[{}] relay started on outbox {} as {}",
                settings.name(),
                table,
                ready.lease().owner());
    }

    /** Something may have been committed in this process: look at once. Any thread. */
    public void nudge() {
        Running now = running;
        if (now != null) {
            now.loop().nudge();
        }
    }

    /**
     * Without {@link #start}: sends one batch on the caller's thread and waits until all of it is
     * settled.
     */
    public synchronized RelayLoop.Report runOnce() {
        if (running == null) {
            running = assemble(open());
        }
        if (running.thread() != null) {
            throw new PostriderException(
                    "Relay " + settings.name() + " runs by itself; runOnce() is for relays not started.");
        }
        try {
            return running.loop().runOnce();
        } catch (SQLException e) {
            throw new PostriderException("Outbox " + table + " cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException("Interrupted while events were in flight; they will be sent again.", e);
        }
    }

    /**
     * Stops in this order: housekeeping ends; no more fetching; what is in flight is awaited, at most the drain timeout,
     * and settled; the publisher is closed; the lease, renewed until here, is given up, so that others
     * take over at once whatever could not be settled; alerts still waiting are told.
     */
    public synchronized void stop() {
        Running ending = running;
        if (ending == null) {
            publisher.close();
            return;
        }
        running = null;
        if (ending.housekeeper() != null) {
            ending.housekeeper().close();
        }
        if (ending.commits() != null) {
            ending.commits().close();
        }
        ending.loop().stop();
        if (ending.thread() != null) {
            join(ending.thread());
        }
        publisher.close();
        ending.source().close();
        ending.lease().close();
        if (monitor != null) {
            monitor.close();
        }
        log.info("[{}] relay stopped", settings.name());
    }

    @Override
    public void close() {
        stop();
    }

    private OutboxStore open() {
        try (Connection connection = dataSource.getConnection()) {
            OutboxStore store = JdbcStores.forConnection(connection, table, hash);
            String mode = store.setting(connection, "mode");
            if (!mode.equals("claim")) {
                throw new PostriderException(
                        "Outbox " + table + " is in mode [" + mode + "]; this relay can read [claim].");
            }
            return store;
        } catch (SQLException e) {
            throw JdbcStores.explain(e, table);
        }
    }

    private Running assemble(OutboxStore store) {
        Circuit circuit =
                new Circuit(settings.name(), settings.circuit(), state -> listener.circuitChanged(state.label()));
        InstanceLease lease = new InstanceLease(
                settings.name(),
                store,
                new RelaySession(dataSource, store),
                settings.leaseLength(),
                () -> circuit.state().label());
        ClaimSource source = new ClaimSource(
                store,
                new RelaySession(dataSource, store),
                lease::owner,
                settings,
                new DeadLetters(settings.name(), store, settings.deadLetters(), listener));
        try {
            lease.start();
        } catch (SQLException e) {
            lease.close();
            throw JdbcStores.explain(e, table);
        }
        return new Running(
                lease, source, new RelayLoop(settings, source, publisher, lease, circuit, listener), null, null, null);
    }

    private void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a relay is made of. */
    public static final class Builder {
        private final DataSource dataSource;
        private final Publisher publisher;
        private OutboxTable table = OutboxTable.DEFAULT;
        private RelaySettings settings = RelaySettings.defaults();
        private RelayListener listener = new RelayListener() {};
        private ContentHash hash = ContentHash.sha256();
        private HousekeepingSettings housekeeping = HousekeepingSettings.defaults();
        private @Nullable AlertRules alertRules;
        private List<AlertChannel> alertChannels = List.of();

        private Builder(DataSource dataSource, Publisher publisher) {
            this.dataSource = dataSource;
            this.publisher = publisher;
        }

        /** Default: {@code outbox}, in the connection's own schema. */
        public Builder table(OutboxTable table) {
            this.table = table;
            return this;
        }

        /** Default: {@link RelaySettings#defaults()}. */
        public Builder settings(RelaySettings settings) {
            this.settings = settings;
            return this;
        }

        /** Default: nobody listens. */
        public Builder listener(RelayListener listener) {
            this.listener = listener;
            return this;
        }

        /** Default: {@link HousekeepingSettings#defaults()}, which deletes nothing. */
        public Builder housekeeping(HousekeepingSettings housekeeping) {
            this.housekeeping = housekeeping;
            return this;
        }

        /**
         * Tells these channels of what the rules find. Default: nobody is told.
         *
         * @param channels closed when the relay stops
         */
        public Builder alerts(AlertRules rules, List<? extends AlertChannel> channels) {
            this.alertRules = rules;
            this.alertChannels = List.copyOf(channels);
            return this;
        }

        /** The key of {@link Outbox.Builder#integrityKey}, so that events can be checked before they are sent. */
        public Builder integrityKey(byte[] key) {
            this.hash = ContentHash.hmac(key);
            return this;
        }

        public Relay build() {
            return new Relay(this);
        }
    }
}
