package dev.postrider.internal.admin;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.source.log.ShardTakeover;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How far the shards of a log were delivered. Each gets a fence row first, so that a relay that was paused and comes back
 * can record nothing any more; of a log that delivers exactly once, the destination's position is then the newest row's.
 */
public final class ShardPositions {
    static final String OWNER = "alter";

    /** As a relay's with the default lease: what it left open is undone in this time. */
    private static final Duration TRANSACTION_TIMEOUT = Duration.ofMillis(2_400);

    private static final int FENCE_ATTEMPTS = 100;

    private final Database database;
    private final Connection connection;
    private final OutboxTable table;
    private final OutboxLayout layout;
    private final LogStore log;
    private final @Nullable Supplier<? extends TransactionalDestination> destination;
    private final boolean acceptDuplicates;

    public ShardPositions(
            Database database,
            Connection connection,
            OutboxTable table,
            OutboxLayout layout,
            @Nullable Supplier<? extends TransactionalDestination> destination,
            boolean acceptDuplicates) {
        this.database = database;
        this.connection = connection;
        this.table = table;
        this.layout = layout;
        this.log = database.logStore(table, layout, ContentHash.sha256());
        this.destination = destination;
        this.acceptDuplicates = acceptDuplicates;
    }

    /** So that the newest row of each shard's cursor says what was delivered. */
    public void settle() throws SQLException {
        if (layout.delivery() == Delivery.AT_LEAST_ONCE) {
            for (int shard = 0; shard < layout.shards(); shard++) {
                fence(shard);
            }
        } else if (acceptDuplicates) {
            settleInDoubt();
        } else {
            settleByDestination();
        }
    }

    private void settleByDestination() throws SQLException {
        if (destination == null) {
            throw new PostriderException(
                    "Outbox " + table + " delivers exactly once: what its destination has committed"
                            + " counts, so the destination is needed. " + wayOut());
        }
        Cluster cluster = log.cluster(connection);
        String outboxId = database.outboxStore(table).setting(connection, "outbox_id");
        TransactionalDestination opened = destination.get();
        for (int shard = 0; shard < layout.shards(); shard++) {
            Cursor fenced = fence(shard);
            TransactionalPublisher line = opened.pipeline(outboxId, shard, layout.shards(), TRANSACTION_TIMEOUT);
            try {
                if (new ShardTakeover(OWNER, log).takeOver(connection, fenced, line, cluster) == null) {
                    throw new PostriderException("The destination does not say how far shard " + shard + " of outbox "
                            + table + " was delivered: it cannot be reached. Try again. " + wayOut());
                }
            } catch (PostriderException e) {
                throw e.getMessage() != null && e.getMessage().endsWith(wayOut())
                        ? e
                        : new PostriderException(e.getMessage() + " " + wayOut(), e);
            } finally {
                line.close();
            }
        }
    }

    private static String wayOut() {
        return "Or say --accept-duplicates: then the last transaction of each shard is delivered again.";
    }

    /**
     * The database is written before the destination commits, so its newest batch is in doubt and the one before is not.
     */
    public void settleInDoubt() throws SQLException {
        Cluster cluster = log.cluster(connection);
        for (int shard = 0; shard < layout.shards(); shard++) {
            Cursor newest = fence(shard);
            if (newest.batch() == 0) {
                continue;
            }
            Cursor known = log.cursorOfBatch(connection, shard, newest.batch() - 1);
            if (known == null) {
                throw new PostriderException(
                        "The cursor of shard " + shard + " of outbox " + table + " has no row before" + " batch "
                                + newest.batch() + ": rows of " + table + "_cursor were deleted.");
            }
            Append back = new Append(
                    shard, newest.seq() + 1, known.position(), newest.floor(), known.batch(), Append.Changes.NONE);
            if (!log.reconcile(connection, OWNER, cluster, back, List.of())) {
                throw overtaken(shard);
            }
        }
    }

    /**
     * With the cluster that the position belongs to: a fence does not make it at home in another one. With its floor as well:
     * if ids have begun anew since, the next relay has to notice.
     */
    private Cursor fence(int shard) throws SQLException {
        for (int attempt = 0; attempt < FENCE_ATTEMPTS; attempt++) {
            Cursor newest = log.cursor(connection, shard);
            Cursor fenced =
                    newest == null ? null : log.fence(connection, shard, OWNER, newest.cluster(), newest.floor());
            if (fenced != null) {
                return fenced;
            }
        }
        throw overtaken(shard);
    }

    private PostriderException overtaken(int shard) {
        return new PostriderException("Something moves the cursor of shard " + shard + " of outbox " + table
                + ": a relay is alive, or the shard has no cursor. Stop all relays, or run 'postrider doctor'.");
    }
}
