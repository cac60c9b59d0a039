package dev.postrider.internal.source.log;

import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes a shard over that is delivered exactly once, as a relay does, for somebody who is none. */
public final class ShardTakeover {
    private final String name;
    private final LogStore store;

    /**
     * @param name of who does it, for the log
     */
    public ShardTakeover(String name, LogStore store) {
        this.name = name;
        this.store = store;
    }

    /**
     * Behind the fence: ends what a relay had under way at the destination, and records the position that was committed
     * there.
     *
     * @return the cursor from there; null if the destination could not be reached, or somebody else was quicker
     * @throws dev.postrider.PostriderException if the destination has lost its position
     */
    public @Nullable Cursor takeOver(Connection connection, Cursor fenced, TransactionalPublisher line, Cluster cluster)
            throws SQLException {
        return new ExactlyOnce(name, store, line, Duration.ZERO).takeOver(connection, fenced, name, cluster);
    }
}
