package dev.postrider.tests.support;

import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.lease.InstanceLease;
import dev.postrider.internal.lease.ShardLeases;
import dev.postrider.internal.relay.LoopWorker;
import dev.postrider.internal.relay.RelayLoop;
import dev.postrider.internal.source.log.Attempts;
import dev.postrider.internal.source.log.LogSource;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A relay on a log, put together from its parts, so that a test can replace or disturb one of them. With a transactional
 * publisher it delivers the one shard exactly once.
 */
public final class AssembledRelay implements AutoCloseable {
    private final InstanceLease lease;
    private final RelayLoop loop;
    private final LoopWorker worker;
    private boolean closed;

    /** Which database each part sees. */
    public record Parts(LogStore log, DataSource forEvents, DataSource forLease, Duration transactionTimeout) {
        /** Without transactions. */
        public Parts(LogStore log, DataSource forEvents, DataSource forLease) {
            this(log, forEvents, forLease, Duration.ZERO);
        }
    }

    public AssembledRelay(Parts parts, Publisher publisher, RelaySettings settings, RelayListener listener)
            throws SQLException {
        OutboxStore store = storeOf(parts.forEvents());
        Circuit circuit = new Circuit(settings.name(), settings.circuit(), state -> {});
        ShardLeases shards = new ShardLeases(settings.name(), parts.log(), this::nudge);
        this.lease = new InstanceLease(
                settings.name(),
                store,
                new RelaySession(parts.forLease(), store),
                settings.timeouts().lease(),
                new InstanceLease.Holdings(() -> circuit.state().label(), shards, publisher::halt));
        LogSource.Parts ofSource = new LogSource.Parts(
                parts.log(),
                new RelaySession(parts.forEvents(), store),
                shards,
                lease::owner,
                settings,
                new DeadLetters(settings.name(), store, settings.deadLetters(), listener),
                new Attempts(),
                listener,
                !publisher.stopsAtFailure());
        LogSource source = publisher instanceof TransactionalPublisher line
                ? LogSource.exactlyOnce(ofSource, line, parts.transactionTimeout())
                : LogSource.atLeastOnce(ofSource);
        this.loop = new RelayLoop(settings, source, publisher, lease, circuit, listener);
        this.worker = new LoopWorker(
                "assembled-" + settings.name(),
                loop,
                source,
                new LoopWorker.Line(publisher::halt, publisher::close, error -> {}));
    }

    private static OutboxStore storeOf(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        }
    }

    public AssembledRelay start() throws SQLException {
        lease.start();
        worker.start();
        return this;
    }

    public String owner() {
        return lease.owner();
    }

    private void nudge() {
        // The lease tells of shards before there is a loop.
        if (loop != null) {
            loop.nudge();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            worker.stop();
            lease.close();
        }
    }
}
