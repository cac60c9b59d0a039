package dev.postrider;

import dev.postrider.RelayState.Phase;
import dev.postrider.alert.AlertChannel;
import dev.postrider.alert.AlertRules;
import dev.postrider.failure.RetryPolicy;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.internal.alert.AlertMonitor;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.housekeeping.Housekeeper;
import dev.postrider.internal.lease.AlsoRenewed;
import dev.postrider.internal.lease.InstanceLease;
import dev.postrider.internal.lease.Ownership;
import dev.postrider.internal.lease.PauseWatch;
import dev.postrider.internal.lease.ShardLeases;
import dev.postrider.internal.lifecycle.Progress;
import dev.postrider.internal.relay.LoopWorker;
import dev.postrider.internal.relay.RelayLoop;
import dev.postrider.internal.relay.ShardWorkers;
import dev.postrider.internal.relay.Worker;
import dev.postrider.internal.source.ClaimSource;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.source.log.Attempts;
import dev.postrider.internal.source.log.LogSource;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.OutboxStore.CommitListener;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Bell;
import dev.postrider.internal.store.jdbc.Connector;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.jdbc.SchemaVersion;
import dev.postrider.internal.store.jdbc.WalStream;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the events of an outbox, inside the application or in a separate process, together with any number of other
 * relays. Keeps three connections of its data source while it runs: to fetch events and record outcomes, to renew its
 * lease, and to listen for commits; in claim mode a fourth to record outcomes; one more if it has housekeeping to do or
 * alerts to raise; one more, and a connection of {@link Builder#replication}, to be woken by the replication stream; and with
 * exactly-once delivery, instead of the first, one for each shard it reads.
 *
 * <p>A relay is started once and stopped once.
 */
public final class Relay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Relay.class);

    /** A stop takes at most this much longer than the drain timeout. */
    public static final Duration STOP_GRACE = Duration.ofSeconds(20);

    private static final Duration STUCK_AFTER = Duration.ofSeconds(15);

    private final RelaySettings settings;
    private final DataSource dataSource;
    private final OutboxTable table;
    private final Publisher publisher;
    private final RelayListener listener;
    private final ContentHash hash;
    private final HousekeepingSettings housekeeping;
    private final @Nullable AlertMonitor monitor;
    private final @Nullable Replication replication;
    private final Duration stuckAfter;

    /** Once it was started. Changed under this object's lock; a nudge reads it without. */
    private volatile @Nullable Supervisor supervisor;

    /** Without having been started. The same. */
    private volatile @Nullable Running manual;

    private volatile boolean stopped;

    /** What the listener knows. */
    private final AtomicReference<String> toldCircuit = new AtomicReference<>(Circuit.State.CLOSED.label());

    /** Guards the three above. */
    private final Object guard = new Object();

    /** Touched by the supervisor's thread. */
    private boolean assembled;

    private boolean monitorStarted;

    private boolean toldOfNewerTables;

    private Relay(Builder builder) {
        this.settings = builder.retry == null ? builder.settings : builder.settings.withRetry(builder.retry);
        this.dataSource = builder.dataSource;
        this.table = builder.table;
        this.publisher = builder.publisher;
        this.hash = builder.integrityRequired ? builder.hash.required() : builder.hash;
        this.housekeeping = builder.housekeeping;
        this.monitor = builder.alertRules == null
                ? null
                : new AlertMonitor(settings.name(), table.toString(), builder.alertRules, builder.alertChannels);
        this.replication = builder.replication;
        this.stuckAfter = builder.stuckAfter;
        this.listener =
                RelayListener.all(monitor == null ? List.of(builder.listener) : List.of(builder.listener, monitor));
    }

    /**
     * @param publisher closed when the relay stops
     */
    public static Builder builder(DataSource dataSource, Publisher publisher) {
        return new Builder(dataSource, publisher);
    }

    /**
     * Checks that the outbox exists, takes the lease, and starts delivering on its own threads. If the database cannot
     * be reached, for example because it is just starting, the relay begins as soon as it can; {@link #state} shows
     * this. If something breaks later that the relay cannot continue after, such as an {@code OutOfMemoryError}, it
     * releases everything and restarts after a pause.
     *
     * @throws PostriderException if the database refuses the user or has no such outbox, or this relay cannot deliver
     *     it as its layout requires
     */
    public void start() {
        Supervisor fresh = new Supervisor(settings.name(), table, this::assembleAll, this::closeForGood);
        synchronized (guard) {
            if (supervisor != null || manual != null) {
                throw new PostriderException("Relay " + settings.name() + " was started already.");
            }
            if (stopped) {
                throw new PostriderException("Relay " + settings.name() + " was stopped; make another to start it.");
            }
            supervisor = fresh;
        }
        try {
            fresh.start();
        } catch (RuntimeException | Error e) {
            supervisor = null;
            throw e;
        }
    }

    /**
     * Tells the relay that something may have been committed in this process, so that it looks at once. Any thread.
     */
    public void nudge() {
        Running now = running();
        if (now != null) {
            now.worker().nudge();
        }
    }

    /** The state of the relay. Any thread; makes no calls to database or broker. */
    public RelayState state() {
        Supervisor by = supervisor;
        Running now = running();
        Supervisor.Situation situation = by != null
                ? by.situation()
                : new Supervisor.Situation(
                        stopped ? Phase.STOPPED : now == null ? Phase.NEW : Phase.RUNNING, null, System.nanoTime());
        Duration since = Duration.ofNanos(System.nanoTime() - situation.sinceNanos());
        if (now == null) {
            return new RelayState(
                    situation.phase(), since, situation.reason(), null, Set.of(), circuitOf(null), null, null);
        }
        Duration sinceLastStep = now.worker().sinceLastStep();
        Phase phase = situation.phase();
        String reason = situation.reason();
        OutboxPause pause = now.pauseWatch().pause();
        if (phase == Phase.RUNNING && !now.worker().isTurning(stuckAfter)) {
            phase = Phase.STUCK;
            since = sinceLastStep;
            reason = "its loop has made no step for " + sinceLastStep.toSeconds() + " s";
        } else if (phase == Phase.RUNNING && pause != null) {
            phase = Phase.PAUSED;
            since = now.pauseWatch().pausedFor();
            reason = "paused " + pause.inWords();
        }
        boolean holdsLease = now.lease().holds();
        if (phase == Phase.RUNNING && reason == null && !holdsLease) {
            reason = "its lease has expired: the database did not answer in time";
        }
        return new RelayState(
                phase,
                since,
                reason,
                holdsLease ? now.lease().owner() : null,
                now.shards() == null ? Set.of() : now.shards().held().keySet(),
                now.worker().circuit(),
                sinceLastStep,
                now.worker().noAnswerFor(),
                now.waking());
    }

    private @Nullable Running running() {
        Supervisor by = supervisor;
        return by == null ? manual : by.running();
    }

    /**
     * For a relay that was not started: sends one batch on the caller's thread and waits until all outcomes are
     * recorded.
     */
    public synchronized BatchReport runOnce() {
        if (supervisor != null) {
            throw new PostriderException(
                    "Relay " + settings.name() + " is started; runOnce() is for relays that are not.");
        }
        Running now = manual;
        if (now == null) {
            now = assemble(open(), error -> {});
            manual = now;
        }
        try {
            return now.worker().runOnce();
        } catch (SQLException e) {
            throw new PostriderException("Outbox " + table + " cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException("Interrupted while events were in flight; they will be sent again.", e);
        }
    }

    /**
     * Stops in this order: ends housekeeping; stops fetching; waits for events in flight, at most the drain timeout,
     * and records their outcomes; releases the lease, which was renewed until here, so that other relays take over the
     * rest at once; closes the publisher; sends alerts that are still waiting.
     *
     * <p>Returns within the drain timeout and {@link #STOP_GRACE}, even if neither database nor destination answers.
     * Any thread; may be called repeatedly.
     */
    public void stop() {
        Supervisor by;
        synchronized (guard) {
            by = supervisor;
            boolean again = stopped;
            stopped = true;
            if (by == null && again) {
                return;
            }
        }
        if (by != null) {
            by.stop(settings.timeouts().drain().plus(STOP_GRACE));
        } else {
            stopManual();
        }
    }

    /** Not while a batch is under way. */
    private synchronized void stopManual() {
        Running now = manual;
        manual = null;
        if (now != null) {
            now.stop();
        }
        closeForGood();
    }

    private void closeForGood() {
        try {
            publisher.close();
        } finally {
            if (monitor != null) {
                monitor.close();
            }
            log.info("[{}] relay stopped", settings.name());
        }
    }

    @Override
    public void close() {
        stop();
    }

    /** An outbox that was found as it should be. */
    private record Opened(Database database, OutboxStore store, OutboxLayout layout, String outboxId) {
        @Nullable
        LogStore log(OutboxTable table, ContentHash hash) {
            return layout.mode() == OutboxMode.LOG ? database.logStore(table, layout, hash) : null;
        }
    }

    private Opened open() {
        Connector connector = new Connector(dataSource, settings.network().connect());
        try (Connection connection = connector.connect()) {
            int before = RelaySession.setTimeout(connection, settings.network().answer());
            Database database = Databases.of(connection);
            database.requireOwnSession(connection, settings.pooling());
            if (settings.polling().wakeUp() == WakeUp.WAL && database.walStream(table) == null) {
                throw new PostriderException(
                        "relay.wake-up is wal, and this database has no replication stream that relays"
                                + " can read: only PostgreSQL has. Use auto or poll.");
            }
            OutboxStore store = database.outboxStore(table, hash);
            OutboxLayout layout = database.layout(connection, table);
            tellOfNewerTables(database.version(connection, table));
            Opened opened = new Opened(database, store, layout, store.setting(connection, "outbox_id"));
            LogStore logStore = opened.log(table, hash);
            if (logStore != null) {
                logStore.check(connection);
            } else {
                store.checkOrdering(connection, settings.delivery().ordering());
            }
            RelaySession.setTimeout(connection, Duration.ofMillis(before));
            return opened;
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        } finally {
            connector.giveUp();
        }
    }

    private WakeUp wakeUp() {
        WakeUp asked = settings.polling().wakeUp();
        return asked != WakeUp.AUTO ? asked : replication == null ? WakeUp.NOTIFY : WakeUp.WAL;
    }

    /** None on a database without such a stream, where {@code auto} means what is there. */
    private @Nullable Bell bell(Opened opened, String bellName, Runnable onRing) {
        WalStream stream = opened.database().walStream(table);
        return stream == null || replication == null
                ? null
                : stream.start(
                        new WalStream.Ringer(
                                settings.name(),
                                bellName,
                                replication,
                                settings.network(),
                                onRing,
                                listener::wakeUpChanged),
                        session(opened.store(), settings.network().lease(), new Progress()));
    }

    private void tellOfNewerTables(SchemaVersion version) {
        if (version.isNewer() && !toldOfNewerTables) {
            toldOfNewerTables = true;
            log.warn(
                    "[{}] the tables of outbox {} have version {}, made by a newer Postrider; this relay knows version {} and"
                            + " goes on, but will not with version {}: replace it soon",
                    settings.name(),
                    table,
                    version.stored(),
                    version.known(),
                    version.known() + 2);
        }
    }

    /** By the supervisor's thread, for the first time or anew. */
    private Running assembleAll(Consumer<Error> onBreak) {
        if (assembled) {
            publisher.resume();
        }
        Opened opened = open();
        OutboxStore store = opened.store();
        Running ready = assemble(opened, onBreak);
        assembled = true;
        try {
            if (monitor != null && !monitorStarted) {
                monitor.start();
                monitorStarted = true;
            }
            Housekeeper housekeeper = new Housekeeper(
                    settings.name(),
                    session(store, settings.network().answer(), new Progress()),
                    store,
                    opened.log(table, hash),
                    housekeeping,
                    monitor);
            String bellName =
                    settings.name() + "#" + UUID.randomUUID().toString().substring(0, 8);
            WakeUp wakeUp = wakeUp();
            CommitListener commits = wakeUp == WakeUp.POLL || !opened.database().hasNotifications()
                    ? null
                    : store.listen(dataSource, settings.network(), settings.name(), bellName, ready.worker()::nudge);
            listener.wakeUpChanged(commits == null ? WakeUp.POLL : WakeUp.NOTIFY);
            Bell bell = wakeUp == WakeUp.WAL ? bell(opened, bellName, ready.worker()::nudge) : null;
            return new Running(
                    ready.lease(), ready.worker(), ready.shards(), ready.pauseWatch(), commits, bell, housekeeper);
        } catch (RuntimeException | Error e) {
            ready.abandon();
            throw e;
        }
    }

    private Running assemble(Opened opened, Consumer<Error> onBreak) {
        OutboxStore store = opened.store();
        AtomicReference<@Nullable Worker> worker = new AtomicReference<>();
        LogStore logStore = opened.log(table, hash);
        ShardLeases shards = logStore == null
                ? null
                : new ShardLeases(
                        settings.name(),
                        logStore,
                        () -> ifThere(worker, Worker::nudge),
                        shard -> !(worker.get() instanceof ShardWorkers workers) || workers.canRead(shard, stuckAfter));
        PauseWatch pause = new PauseWatch(
                settings.name(),
                store,
                new SameLayout(table, opened, shards == null ? AlsoRenewed.NOTHING : shards),
                changed -> {
                    listener.paused(changed);
                    ifThere(worker, Worker::nudge);
                });
        InstanceLease lease = new InstanceLease(
                settings.name(),
                store,
                session(store, settings.network().lease(), new Progress()),
                settings.timeouts().lease(),
                new InstanceLease.Holdings(
                        () -> inShort(worker.get()),
                        pause,
                        () -> ifThere(worker, Worker::halt),
                        new Turning(worker, stuckAfter),
                        () -> pause.pause() != null));
        DeadLetters deadLetters = new DeadLetters(settings.name(), store, settings.deadLetters(), listener);
        deadLetters.checkFile();
        Progress progress = new Progress();
        LoopWorker.Line line = new LoopWorker.Line(publisher::halt, publisher::halt, onBreak);
        Worker assembled;
        if (logStore == null || shards == null) {
            EventSource source = new ClaimSource(
                    store,
                    session(store, settings.network().answer(), progress),
                    session(store, settings.network().answer(), new Progress()),
                    lease::owner,
                    settings,
                    deadLetters);
            assembled = worker(loop(settings, source, publisher, lease, progress), source, line, "");
        } else if (opened.layout().delivery() == Delivery.AT_LEAST_ONCE) {
            EventSource source = LogSource.atLeastOnce(new LogSource.Parts(
                    logStore,
                    session(store, settings.network().answer(), progress),
                    shards,
                    lease::owner,
                    settings,
                    deadLetters,
                    new Attempts(),
                    listener,
                    !publisher.stopsAtFailure() && settings.delivery().ordering() == Ordering.KEY));
            assembled = worker(loop(settings, source, publisher, lease, progress), source, line, "");
        } else {
            assembled = shardWorkers(opened, logStore, lease, shards, deadLetters);
        }
        worker.set(assembled);
        // It may have been another when the worker before broke.
        tellCircuit(assembled.circuit());
        try {
            lease.start();
        } catch (SQLException e) {
            lease.close();
            throw Explanation.ofOutbox(e, table);
        } catch (RuntimeException | Error e) {
            lease.close();
            throw e;
        }
        return new Running(lease, assembled, shards, pause, null, null, null);
    }

    private RelaySession session(OutboxStore store, Duration answer, Progress progress) {
        return new RelaySession(dataSource, store, settings.network().connect(), answer, progress);
    }

    /** Whether a relay's thread goes on. If not, whatever it waits for is ended once. Asked by the lease's thread. */
    private static final class Turning implements BooleanSupplier {
        private final AtomicReference<@Nullable Worker> worker;
        private final Duration limit;
        private boolean turned = true;

        Turning(AtomicReference<@Nullable Worker> worker, Duration limit) {
            this.worker = worker;
            this.limit = limit;
        }

        @Override
        public boolean getAsBoolean() {
            Worker there = worker.get();
            boolean turns = there == null || there.isTurning(limit);
            if (there != null && turned && !turns) {
                there.unblock();
            }
            turned = turns;
            return turns;
        }
    }

    /**
     * Keeps a lease only while the outbox is what it was when the relay was assembled. Who changes it looks for leases
     * after having said so: a relay that took its lease too late, or slept meanwhile, finds out here, before it may send.
     * One that has renewed its lease all the time has been seen.
     */
    private static final class SameLayout implements AlsoRenewed {
        private final OutboxTable table;
        private final Opened opened;
        private final AlsoRenewed others;
        private boolean checked;
        private long renewedAt;

        SameLayout(OutboxTable table, Opened opened, AlsoRenewed others) {
            this.table = table;
            this.opened = opened;
            this.others = others;
        }

        @Override
        public void renew(Connection connection, String owner, Duration length) throws SQLException {
            long now = System.nanoTime();
            if (!checked || now - renewedAt > length.toNanos() / 2) {
                checked = false;
                check(connection);
                checked = true;
            }
            others.renew(connection, owner, length);
            renewedAt = now;
        }

        private void check(Connection connection) throws SQLException {
            boolean same = opened.database().layout(connection, table).equals(opened.layout())
                    && opened.store().setting(connection, "outbox_id").equals(opened.outboxId());
            if (!same) {
                throw new PostriderException("Outbox " + table + " has been changed; restart this relay.");
            }
        }

        @Override
        public void forget() {
            others.forget();
        }
    }

    private static void ifThere(AtomicReference<@Nullable Worker> worker, Consumer<Worker> action) {
        Worker there = worker.get();
        if (there != null) {
            action.accept(there);
        }
    }

    private static String circuitOf(@Nullable Worker worker) {
        return worker == null ? Circuit.State.CLOSED.label() : worker.circuit();
    }

    /** What {@code status} shows of it. */
    private static String inShort(@Nullable Worker worker) {
        String circuit = circuitOf(worker);
        Duration silence = worker == null ? null : worker.noAnswerFor();
        // An open circuit says more.
        return silence == null || !circuit.equals(Circuit.State.CLOSED.label())
                ? circuit
                : circuit + ", no answer for " + silence.toSeconds() + " s";
    }

    private RelayLoop loop(
            RelaySettings with, EventSource source, Publisher line, Ownership ownership, Progress progress) {
        Circuit circuit = new Circuit(settings.name(), settings.circuit(), state -> tellCircuit(state.label()));
        return new RelayLoop(with, source, line, ownership, circuit, listener, progress);
    }

    private void tellCircuit(String state) {
        if (!state.equals(toldCircuit.getAndSet(state))) {
            listener.circuitChanged(state);
        }
    }

    private LoopWorker worker(RelayLoop loop, EventSource source, LoopWorker.Line line, String threadSuffix) {
        return new LoopWorker("postrider-" + settings.name() + threadSuffix, loop, source, line);
    }

    private Worker shardWorkers(
            Opened opened, LogStore logStore, InstanceLease lease, ShardLeases shards, DeadLetters deadLetters) {
        if (!(publisher instanceof TransactionalDestination destination)) {
            throw new PostriderException("Outbox " + table + " delivers exactly once; that takes a destination with"
                    + " transactions, which " + publisher.getClass().getSimpleName()
                    + " is not. Deliver to Kafka, or let"
                    + " 'postrider alter --delivery at-least-once' change the outbox.");
        }
        // A transaction that was left open must not keep consumers waiting for longer than a takeover takes.
        Duration timeout = settings.timeouts().lease().multipliedBy(8).dividedBy(10);
        RelaySettings inTransactions = settings.withBatchSize(settings.batch().transactionSize());
        Attempts attempts = new Attempts();
        return new ShardWorkers(
                settings.name(), lease, shards, settings.circuit(), this::tellCircuit, (shard, ownership, circuit) -> {
                    TransactionalPublisher line = destination.pipeline(
                            opened.outboxId(), shard, opened.layout().shards(), timeout);
                    Progress progress = new Progress();
                    LogSource.Parts parts = new LogSource.Parts(
                            logStore,
                            session(opened.store(), settings.network().answer(), progress),
                            shards.only(shard),
                            ownership::owner,
                            inTransactions,
                            deadLetters,
                            attempts,
                            listener,
                            false);
                    LogSource source = LogSource.exactlyOnce(parts, line, timeout);
                    return worker(
                            new RelayLoop(inTransactions, source, line, ownership, circuit, listener, progress),
                            source,
                            new LoopWorker.Line(line::halt, line::close, error -> {}),
                            "-" + shard);
                });
    }

    /** Collects the parts of a relay. */
    public static final class Builder {
        private final DataSource dataSource;
        private final Publisher publisher;
        private OutboxTable table = OutboxTable.DEFAULT;
        private RelaySettings settings = RelaySettings.defaults();
        private @Nullable RetryPolicy retry;
        private RelayListener listener = new RelayListener() {};
        private ContentHash hash = ContentHash.sha256();
        private boolean integrityRequired;
        private HousekeepingSettings housekeeping = HousekeepingSettings.defaults();
        private @Nullable AlertRules alertRules;
        private List<AlertChannel> alertChannels = List.of();
        private @Nullable Replication replication;
        private Duration stuckAfter = STUCK_AFTER;

        private Builder(DataSource dataSource, Publisher publisher) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
            this.publisher = Objects.requireNonNull(publisher, "publisher");
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

        /** When failed events are tried again, and how often. Default: the policy of the settings. */
        public Builder retry(RetryPolicy retry) {
            this.retry = retry;
            return this;
        }

        /** Default: none. */
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
         * Sends alerts to these channels, by these rules. Default: no alerts.
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

        /**
         * An event without a content hash, as plain SQL writes it, is not sent: it becomes a dead letter, as if it had
         * been changed. Default: it is sent.
         */
        public Builder integrityRequired() {
            this.integrityRequired = true;
            return this;
        }

        /**
         * Lets the relay read PostgreSQL's replication stream to be woken by commits, whoever wrote. It needs the
         * publication that {@link OutboxSchema#publish} makes. Default: none.
         */
        public Builder replication(Replication replication) {
            this.replication = replication;
            return this;
        }

        /** A loop that makes no step for so long stands still. For tests, which need not wait for that. */
        Builder stuckAfter(Duration time) {
            this.stuckAfter = time;
            return this;
        }

        /**
         * @throws PostriderException if the settings ask for {@link WakeUp#WAL} and there is no {@link #replication}
         */
        public Relay build() {
            if (settings.polling().wakeUp() == WakeUp.WAL && replication == null) {
                throw new PostriderException("relay.wake-up is wal, and there is no replication connection. Set"
                        + " db.replication-user, with Spring Boot postrider.relay.replication.user, in code"
                        + " Relay.Builder.replication(..); or use auto.");
            }
            return new Relay(this);
        }
    }
}
