package dev.postrider.internal.admin;

import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import dev.postrider.admin.AdoptAfter;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.AlterStore.Change;
import dev.postrider.internal.store.AlterStore.ClaimPart;
import dev.postrider.internal.store.AlterStore.Part;
import dev.postrider.internal.store.AlterStore.Place;
import dev.postrider.internal.store.AlterStore.Range;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The steps of a change, in an order that loses and doubles nothing. Each is done again if it was interrupted, and skipped
 * if it is noted as done; those that may not be done twice are noted in their own transaction.
 *
 * <p>The primitive of a log: a snapshot S is taken, every event that S sees and no cursor has passed is moved behind S by
 * giving it the number of a later transaction, and all cursors begin at S. The first window of every shard then has all
 * that is to be sent, by id.
 */
public final class LayoutSteps {
    /** Within a step a line is said so often at most. */
    private static final long PROGRESS_INTERVAL = 2_000_000_000L;

    private static final long LOCK_PAUSE_MILLIS = 1_000;

    private final Connection connection;
    private final AlterStore store;
    private final Change change;
    private final ShardPositions positions;
    private final Consumer<String> progress;
    private final Limits limits;
    private boolean skipping;
    private long moved;

    public LayoutSteps(
            Connection connection,
            AlterStore store,
            Change change,
            ShardPositions positions,
            Consumer<String> progress,
            Limits limits) {
        this.connection = connection;
        this.store = store;
        this.change = change;
        this.positions = positions;
        this.progress = progress;
        this.limits = limits;
        this.skipping = !change.step().isEmpty();
    }

    /**
     * @param lockPatience how long to try for a lock that writers do not give up
     * @param chunk rows per transaction
     */
    public record Limits(Duration lockPatience, int chunk) {}

    /**
     * @return how many events were moved
     */
    public long alter() throws SQLException {
        OutboxMode from = change.from().mode();
        OutboxMode to = change.to().mode();
        if (from == OutboxMode.CLAIM) {
            claimToLog();
        } else if (to == OutboxMode.CLAIM) {
            logToClaim();
        } else {
            logToLog();
        }
        return moved;
    }

    public long adopt(AdoptAfter after) throws SQLException {
        if (after == AdoptAfter.UPGRADE) {
            step("cursors", "continues the cursors", () -> store.continueCursors(connection, shards()));
        } else {
            // One that delivered exactly once is in doubt about its last transactions.
            step("positions", "settles how far each shard was delivered", positions::settleInDoubt);
            step("snapshot", "takes a snapshot", () -> store.takeSnapshot(connection));
            step("rows", "looks at every row", () -> {
                long begin = store.adopted(connection);
                moved += walk(
                        begin,
                        store.lastId(connection),
                        limits.chunk(),
                        progress,
                        part -> store.adopt(connection, change.from(), part));
            });
            beginCursors();
        }
        return moved;
    }

    private void logToLog() throws SQLException {
        boolean otherShards = change.from().shards() != change.to().shards();
        step("positions", "settles how far each shard was delivered", positions::settle);
        if (otherShards) {
            createIndexes();
        }
        step("snapshot", "takes a snapshot", () -> store.takeSnapshot(connection));
        step("events", "moves events that are still to be sent behind the snapshot", () -> {
            String snapshot = store.takeSnapshot(connection);
            eachShard((shard, part) -> store.moveBehind(connection, change.from(), shard, snapshot, part));
        });
        beginCursors();
        if (otherShards) {
            step("swap", "gives the new index its name", () -> store.swapLogIndex(connection, change.to()));
        }
    }

    private void claimToLog() throws SQLException {
        createIndexes();
        setDefault(OutboxMode.LOG);
        step("events", "turns events that are still to be sent into events of the log", this::toLog);
        beginCursors();
        step("swap", "gives the new index its name", () -> {
            store.swapLogIndex(connection, change.to());
            store.dropLater(connection, OutboxMode.CLAIM);
        });
    }

    private void logToClaim() throws SQLException {
        step("positions", "settles how far each shard was delivered", positions::settle);
        createIndexes();
        setDefault(OutboxMode.CLAIM);
        // From here on no event of the log is still to be committed.
        step("parked", "turns parked and scheduled events into rows", () -> {
            moved += walk(0, Long.MAX_VALUE, limits.chunk(), progress, part -> store.parkedToClaim(connection, part));
        });
        step("events", "makes events that are still to be sent PENDING", () -> {
            eachShard((shard, part) -> store.toPending(connection, change.from(), shard, part));
        });
        step("letters", "marks the rows of dead letters", () -> {
            walk(0, Long.MAX_VALUE, limits.chunk(), progress, part -> store.deadToClaim(connection, part));
        });
        beginCursors();
        step("later", "notes what can wait", () -> {
            store.dropLater(connection, OutboxMode.LOG);
            store.publishLater(connection);
        });
    }

    // ---- steps

    @FunctionalInterface
    private interface Work {
        void run() throws SQLException;
    }

    private void step(String name, String what, Work work) throws SQLException {
        if (isDone(name)) {
            return;
        }
        progress.accept(what);
        work.run();
        store.stepDone(connection, name);
    }

    /** All steps up to the noted one are. */
    private boolean isDone(String name) {
        if (!skipping) {
            return false;
        }
        skipping = !change.step().equals(name);
        return true;
    }

    private void createIndexes() throws SQLException {
        step(
                "indexes",
                "builds indexes, without blocking writers, after transactions that are open have ended",
                () -> store.createIndexes(connection, change.to()));
    }

    private void beginCursors() throws SQLException {
        if (isDone("cursors")) {
            return;
        }
        progress.accept("begins new cursors");
        store.beginCursors(connection, change.to(), store.takeSnapshot(connection), "cursors");
    }

    private void setDefault(OutboxMode mode) throws SQLException {
        if (isDone("default")) {
            return;
        }
        progress.accept("changes the default of new rows, for which writers stop for a moment");
        long began = System.nanoTime();
        while (!store.setDefault(connection, mode, "default")) {
            List<String> users = store.users(connection);
            String who = users.isEmpty() ? "somebody who has ended by now" : String.join(", ", users);
            if (System.nanoTime() - began > limits.lockPatience().toNanos()) {
                throw new PostriderException("The outbox table is in use all the time, at last by " + who
                        + ". End that," + " and run '" + change.command() + "' again: it goes on from here.");
            }
            progress.accept("waits for " + who);
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(LOCK_PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostriderException("Interrupted; the same command goes on from here.", e);
        }
    }

    private void toLog() throws SQLException {
        Place after = null;
        long looked;
        Told told = new Told(progress);
        do {
            ClaimPart part = store.toLog(connection, change.to(), after, limits.chunk());
            after = part.last();
            looked = part.looked();
            moved += part.moved();
            told.rows(looked);
        } while (looked == limits.chunk());
    }

    // ---- walking

    @FunctionalInterface
    private interface ShardPart {
        Part of(int shard, Range range) throws SQLException;
    }

    private void eachShard(ShardPart work) throws SQLException {
        // After the snapshot: what it sees has lower ids.
        long until = store.lastId(connection);
        for (int number = 0; number < shards(); number++) {
            int shard = number;
            long after = store.firstAhead(connection, shard);
            moved += walk(after, until, limits.chunk(), progress, range -> work.of(shard, range));
        }
    }

    private int shards() {
        return change.from().shards();
    }

    /** Does something to a part of a table, in a transaction of its own. */
    @FunctionalInterface
    public interface Chunk {
        Part of(Range range) throws SQLException;
    }

    public static long walk(long after, long until, int limit, Consumer<String> progress, Chunk work)
            throws SQLException {
        long moved = 0;
        long from = after;
        Part part;
        Told told = new Told(progress);
        do {
            part = work.of(new Range(from, until, limit));
            from = Math.max(from, part.lastId());
            moved += part.moved();
            told.rows(part.looked());
        } while (part.looked() == limit);
        return moved;
    }

    /** Says now and then how far it is. */
    private static final class Told {
        private final Consumer<String> progress;
        private long rows;
        private long at = System.nanoTime();

        Told(Consumer<String> progress) {
            this.progress = progress;
        }

        void rows(long more) {
            rows += more;
            if (System.nanoTime() - at > PROGRESS_INTERVAL) {
                at = System.nanoTime();
                progress.accept(String.format(Locale.ROOT, "  %,d rows", rows));
            }
        }
    }
}
