package dev.postrider.cli.relay;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Delivery;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelayState;
import dev.postrider.RelayState.Phase;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.Database;
import dev.postrider.cli.command.StopSignal;
import dev.postrider.cli.configuration.Destinations;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.Settings;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.publish.Publisher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One outbox as it is set, and the relay that delivers it: from the wait for its database until the command is stopped. */
final class OutboxRelay {
    /**
     * Claims and settles, renews the lease, listens for commits, keeps house; one to spare while one is
     * being replaced.
     */
    private static final int CONNECTIONS = 5;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Between two attempts with an outbox that cannot be used, while others are delivered. */
    private static final Duration LONG_PAUSE = Duration.ofSeconds(5);

    private final RelayAssembly assembly;
    private final OutboxTable table;
    private final EventTarget target;
    private final Database database;
    private final StopSignal stop;
    private final RelayLog log;

    private volatile @Nullable Relay relay;
    private volatile Waiting waiting = new Waiting("it is starting", System.nanoTime());

    /** Why there is no relay yet. */
    private record Waiting(String reason, long since) {}

    /** Contacts nobody. */
    OutboxRelay(Settings settings, CommandEnvironment environment) {
        this.assembly = new RelayAssembly(settings, environment.directory());
        this.table = settings.get(KnownSettings.OUTBOX_TABLE);
        this.target = Destinations.target(settings, environment.directory());
        this.database = Database.of(settings, environment.directory());
        this.stop = environment.stop();
        this.log = new RelayLog(assembly.settings().name(), target.name());
    }

    /**
     * Contacts nobody.
     *
     * @throws PostriderException if the destination's settings cannot be used
     */
    void check() {
        target.publisher().close();
    }

    OutboxTable table() {
        return table;
    }

    RelayLog log() {
        return log;
    }

    /** Any thread. */
    RelayState state() {
        Relay now = relay;
        if (now == null) {
            Waiting why = waiting;
            return new RelayState(
                    Phase.WAITING,
                    Duration.ofNanos(System.nanoTime() - why.since()),
                    why.reason(),
                    null,
                    Set.of(),
                    "closed",
                    null,
                    null);
        }
        RelayState state = now.state();
        return state.reason() == null
                ? state
                : new RelayState(
                        state.phase(),
                        state.since(),
                        Masking.mask(state.reason()),
                        state.owner(),
                        state.shards(),
                        state.circuit(),
                        state.sinceLastStep(),
                        state.noAnswerFor(),
                        state.waking());
    }

    /**
     * Returns when the command was stopped. An outbox that cannot be used, because its table is missing or its user is
     * refused, is tried again and again: the process has others.
     */
    void keepRunning(RelayListener metrics) throws InterruptedException {
        String told = "";
        do {
            try {
                run(metrics);
            } catch (RuntimeException | Error e) {
                String problem = Masking.mask(String.valueOf(e.getMessage() == null ? e : e.getMessage()));
                waiting = new Waiting(problem, told.equals(problem) ? waiting.since() : System.nanoTime());
                if (!told.equals(problem)) {
                    log.cannotRun(problem, LONG_PAUSE);
                    told = problem;
                }
            }
        } while (!stop.await(LONG_PAUSE));
    }

    /**
     * Returns when the command was stopped.
     *
     * @throws PostriderException if the database refuses, or has no such outbox
     */
    void run(RelayListener metrics) throws InterruptedException {
        // Says what is wrong with the settings before anybody is asked.
        Publisher publisher = target.publisher();
        OutboxLayout layout;
        try {
            layout = layout();
        } catch (RuntimeException e) {
            publisher.close();
            throw e;
        }
        if (layout == null) {
            publisher.close();
            return;
        }
        try (HikariDataSource pool =
                        database.pool("postrider-" + assembly.settings().name(), CONNECTIONS, connections(layout));
                Relay running = assembly.build(
                        pool, database.replication(), publisher, table, RelayListener.all(List.of(log, metrics)))) {
            running.start();
            relay = running;
            target.problem().ifPresent(log::unreachable);
            stop.await();
        } finally {
            relay = null;
        }
    }

    /**
     * Before the pool is there: it would only say that it has no connection. A database that cannot be reached is waited
     * for, since it may just be starting; null if the command was stopped meanwhile.
     */
    private @Nullable OutboxLayout layout() throws InterruptedException {
        boolean told = false;
        while (true) {
            try {
                return OutboxAdmin.builder(database.single())
                        .table(table)
                        .build()
                        .layout();
            } catch (PostriderException e) {
                if (!(e.getCause() instanceof SQLException cause) || !SqlErrors.isUnreachable(cause)) {
                    throw e;
                }
                if (!told) {
                    String problem = Masking.mask(String.valueOf(e.getMessage()));
                    waiting = new Waiting(problem, System.nanoTime());
                    log.waits(problem);
                }
                told = true;
            }
            if (stop.await(PAUSE)) {
                return null;
            }
        }
    }

    /**
     * With exactly once every shard has a thread and a connection of its own, and one relay may have to read them all. In
     * claim mode deliveries are recorded while others are claimed. A relay that is woken by the replication stream looks whether
     * what it was woken for can be seen.
     */
    private int connections(OutboxLayout layout) {
        int least = CONNECTIONS + (database.replication().isPresent() ? 1 : 0);
        if (layout.delivery() == Delivery.EXACTLY_ONCE) {
            return least + layout.shards();
        }
        return layout.mode() == OutboxMode.CLAIM ? least + 1 : least;
    }
}
