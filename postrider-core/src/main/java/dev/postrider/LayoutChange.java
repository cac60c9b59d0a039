package dev.postrider;

import dev.postrider.admin.AdoptAfter;
import dev.postrider.admin.LayoutReport;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.internal.admin.LayoutSteps;
import dev.postrider.internal.admin.ShardPositions;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.AlterStore.Alive;
import dev.postrider.internal.store.AlterStore.Change;
import dev.postrider.internal.store.AlterStore.Evidence;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.Explanation;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.TransactionalDestination;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Changes the layout of an outbox, or adopts it in another database cluster, while relays are stopped and writers keep
 * writing. Nothing is lost, and nothing is duplicated unless a method says so.
 *
 * <p>1. Takes the operators' lock, and keeps it. 2. Sets the outbox's mode to {@code changing}: from now on relays
 * refuse to start. 3. Only then checks whether a relay is alive. 4. Does the steps, each of which may be interrupted
 * and repeated; the last one done is stored with the mode. 5. Stores the new layout, with an entry in the audit table.
 * 6. Does the rest, which can wait until relays run again.
 *
 * <p>After a crash the same call continues where it was. Stateless; any thread.
 */
public final class LayoutChange {
    private final DataSource dataSource;
    private final OutboxTable table;
    private final Consumer<String> progress;
    private final @Nullable Supplier<? extends TransactionalDestination> destination;
    private final boolean acceptDuplicates;
    private final Duration lockPatience;
    private final int chunk;
    private final Pooling pooling;

    private LayoutChange(Builder builder) {
        this.dataSource = builder.dataSource;
        this.table = builder.table;
        this.progress = builder.progress;
        this.destination = builder.destination;
        this.acceptDuplicates = builder.acceptDuplicates;
        this.lockPatience = builder.lockPatience;
        this.chunk = builder.chunk;
        this.pooling = builder.pooling;
    }

    public static Builder builder(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * @param actor who does it
     * @throws PostriderException if a relay is alive, or the change is not possible; the message says whether it was
     *     begun
     */
    public LayoutReport alter(LayoutRequest request, String actor) {
        return call((connection, store) -> {
            Change change = store.underWay(connection);
            if (change == null) {
                finishLeftover(connection, store);
                OutboxLayout from = Databases.of(connection).layout(connection, table);
                OutboxLayout to = request.from(from);
                if (from.equals(to)) {
                    return new LayoutReport(false, from, to, 0, false);
                }
                checkCluster(connection, from);
                change = begin(connection, store, new Change(request.command(), from, to, "", null));
            } else {
                checkSame(change, request);
                requireNoRelays(store.alive(connection), true);
            }
            long moved = run(connection, store, change, LayoutSteps::alter);
            boolean newId = change.to().delivery() == Delivery.EXACTLY_ONCE;
            finish(connection, store, change, newId, new Entry(actor, "alter", moved));
            return new LayoutReport(true, change.from(), change.to(), moved, newId);
        });
    }

    /**
     * Adopts an outbox in the cluster that its database is in now.
     *
     * @throws PostriderException as {@link #alter}
     */
    public LayoutReport adopt(AdoptAfter after, String actor) {
        return call((connection, store) -> {
            Change change = store.underWay(connection);
            if (change == null) {
                OutboxLayout layout = Databases.of(connection).layout(connection, table);
                Evidence evidence = layout.mode() == OutboxMode.LOG ? store.evidence(connection) : null;
                if (evidence == null || evidence.sameCluster() && !evidence.foreign()) {
                    return new LayoutReport(false, layout, layout, 0, false);
                }
                if (after == AdoptAfter.UPGRADE && (evidence.foreign() || evidence.copied())) {
                    throw new PostriderException("This is not what pg_upgrade leaves behind: "
                            + (evidence.foreign()
                                    ? "the outbox knows transactions that this cluster has not reached."
                                    : "rows of the outbox were copied in.")
                            + " Nothing was changed; use 'postrider adopt --after restore'.");
                }
                change = begin(connection, store, new Change(after.command(), layout, layout, "", null));
            } else {
                if (!change.command().equals(after.command())) {
                    throw new PostriderException("Outbox " + table + " is being changed by '" + change.command()
                            + "', which has to be finished first.");
                }
                requireNoRelays(store.alive(connection), true);
            }
            long moved = run(connection, store, change, steps -> steps.adopt(after));
            boolean newId = after == AdoptAfter.RESTORE && change.to().delivery() == Delivery.EXACTLY_ONCE;
            finish(connection, store, change, newId, new Entry(actor, "adopt", moved));
            return new LayoutReport(true, change.from(), change.to(), moved, newId);
        });
    }

    // ---- beginning

    private Change begin(Connection connection, AlterStore store, Change change) throws SQLException {
        requireNoRelays(store.alive(connection), false);
        store.begin(connection, change);
        // One that had read the mode before has taken its lease before it read it a second time.
        List<Alive> alive = store.alive(connection);
        if (!alive.isEmpty()) {
            store.cancel(connection, change.from());
            requireNoRelays(alive, false);
        }
        progress.accept("begins: " + change.command().substring("postrider ".length()));
        return change;
    }

    private void requireNoRelays(List<Alive> alive, boolean begun) {
        if (alive.isEmpty()) {
            return;
        }
        String names = alive.stream().map(Alive::owner).distinct().collect(Collectors.joining(", "));
        long left =
                alive.stream().mapToLong(one -> one.left().toSeconds()).max().orElse(0) + 1;
        throw new PostriderException("Outbox " + table + " has relays that are alive: " + names
                + ". Stop them and try again; of one that has died the lease ends within " + left + " s. "
                + (begun ? "The change that was begun before waits." : "Nothing was changed."));
    }

    private void checkSame(Change change, LayoutRequest request) {
        boolean same = !change.command().startsWith("postrider adopt")
                && (request.isNothing() || request.from(change.from()).equals(change.to()));
        if (!same) {
            throw new PostriderException("Outbox " + table + " is being changed by '" + change.command()
                    + "', which has to be finished first.");
        }
    }

    private void checkCluster(Connection connection, OutboxLayout layout) throws SQLException {
        if (layout.mode() == OutboxMode.LOG) {
            LogStore log = Databases.of(connection).logStore(table, layout, ContentHash.sha256());
            log.check(connection);
            var cursor = log.cursor(connection, 0);
            if (cursor != null
                    && cursor.cluster().systemId() != log.cluster(connection).systemId()) {
                throw new PostriderException("The cursors of outbox " + table + " belong to another database cluster."
                        + " First run 'postrider adopt --after restore' or 'postrider adopt --after upgrade'.");
            }
        }
    }

    @FunctionalInterface
    private interface Course {
        long run(LayoutSteps steps) throws SQLException;
    }

    private long run(Connection connection, AlterStore store, Change change, Course course) throws SQLException {
        ShardPositions positions = new ShardPositions(
                Databases.of(connection), connection, table, change.from(), destination, acceptDuplicates);
        try {
            return course.run(new LayoutSteps(
                    connection, store, change, positions, progress, new LayoutSteps.Limits(lockPatience, chunk)));
        } catch (RuntimeException e) {
            cancelIfUntouched(connection, store, change.from(), e);
            throw e;
        }
    }

    /** Of a log, the first step changes nothing that relays mind: if that cannot be done they shall not have to wait. */
    private void cancelIfUntouched(Connection connection, AlterStore store, OutboxLayout from, RuntimeException cause) {
        try {
            Change now = store.underWay(connection);
            if (from.mode() == OutboxMode.LOG && now != null && now.step().isEmpty()) {
                store.cancel(connection, from);
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    // ---- ending

    private record Entry(String actor, String action, long moved) {}

    private void finish(Connection connection, AlterStore store, Change change, boolean newId, Entry entry)
            throws SQLException {
        String selector = change.from().equals(change.to())
                ? change.command().substring("postrider adopt ".length())
                : describe(change.from()) + " -> " + describe(change.to());
        connection.setAutoCommit(false);
        try {
            store.finish(connection, change.to(), newId);
            Database database = Databases.of(connection);
            database.adminStore(table, database.layout(connection, table), ContentHash.sha256())
                    .record(connection, entry.actor(), entry.action(), selector, entry.moved());
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
        progress.accept("relays may start again");
        finishLeftover(connection, store);
    }

    /** The layout in words, for people. */
    public static String describe(OutboxLayout layout) {
        return layout.mode() == OutboxMode.CLAIM
                ? "claim"
                : "log, " + layout.shards() + (layout.shards() == 1 ? " shard, " : " shards, ")
                        + layout.delivery().label();
    }

    private void finishLeftover(Connection connection, AlterStore store) throws SQLException {
        AlterStore.Leftover left = store.leftover(connection);
        if (left == null) {
            return;
        }
        for (String index : left.indexes()) {
            progress.accept("drops index " + index + ", which waits for transactions that are open");
            store.dropIndex(connection, index);
        }
        AlterStore.Range delivered = left.delivered();
        if (delivered != null) {
            progress.accept("marks delivered rows as PUBLISHED, for retention and replay");
            LayoutSteps.walk(
                    delivered.after(),
                    delivered.until(),
                    chunk,
                    progress,
                    part -> store.publishDelivered(connection, part));
        }
        store.forgetLeftover(connection);
    }

    // ---- the connection

    @FunctionalInterface
    private interface Work {
        LayoutReport on(Connection connection, AlterStore store) throws SQLException;
    }

    private LayoutReport call(Work work) {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(true);
            Database database = Databases.of(connection);
            database.requireOwnSession(connection, pooling);
            AlterStore store = database.alterStore(table);
            try {
                store.open(connection);
                LayoutReport report = work.on(connection, store);
                store.close(connection);
                return report;
            } catch (SQLException | RuntimeException e) {
                // Whatever the session still holds ends with it, and no pool hands it on.
                connection.abort(Runnable::run);
                throw e;
            }
        } catch (SQLException e) {
            throw Explanation.ofOutbox(e, table);
        }
    }

    /** Options of a layout change. */
    public static final class Builder {
        private final DataSource dataSource;
        private OutboxTable table = OutboxTable.DEFAULT;
        private Consumer<String> progress = line -> {};
        private @Nullable Supplier<? extends TransactionalDestination> destination;
        private boolean acceptDuplicates;
        private Duration lockPatience = Duration.ofMinutes(10);
        private int chunk = 10_000;
        private Pooling pooling = Pooling.NONE;

        private Builder(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /** Default: {@code outbox}, in the connection's own schema. */
        public Builder table(OutboxTable table) {
            this.table = table;
            return this;
        }

        /** Receives messages about the progress, before each step and now and then during long ones. Default: none. */
        public Builder progress(Consumer<String> progress) {
            this.progress = progress;
            return this;
        }

        /**
         * The destination of an outbox that delivers exactly once: its committed positions decide. Opened only if
         * needed.
         */
        public Builder destination(Supplier<? extends TransactionalDestination> destination) {
            this.destination = destination;
            return this;
        }

        /** Whether to proceed without the destination's positions, and deliver events in doubt again. Default: no. */
        public Builder acceptDuplicates(boolean accept) {
            this.acceptDuplicates = accept;
            return this;
        }

        /** How long to keep trying to get a short lock on the outbox table. Default: 10 minutes. */
        public Builder lockPatience(Duration patience) {
            this.lockPatience = patience;
            return this;
        }

        /** Rows per transaction. Default: 10 000. */
        public Builder chunk(int rows) {
            this.chunk = rows;
            return this;
        }

        /** Default: none, and nothing is changed behind a pooler. */
        public Builder pooling(Pooling pooling) {
            this.pooling = pooling;
            return this;
        }

        public LayoutChange build() {
            return new LayoutChange(this);
        }
    }
}
