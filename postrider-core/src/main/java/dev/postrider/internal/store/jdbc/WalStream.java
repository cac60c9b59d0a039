package dev.postrider.internal.store.jdbc;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OutboxStatus;
import dev.postrider.Replication;
import dev.postrider.WakeUp;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;

/** The replication stream of one outbox's inserts, which rings for relays. Stateless; any thread. */
public interface WalStream {

    /**
     * Makes the publication that the stream needs, for inserts only, unless it is there.
     *
     * @return whether anything was changed
     */
    boolean publish(Connection connection) throws SQLException;

    /**
     * Drops it.
     *
     * @return whether anything was changed
     */
    boolean unpublish(Connection connection) throws SQLException;

    /** Which relay reads the stream, and what the database lacks for one. */
    OutboxStatus.Stream status(Connection connection) throws SQLException;

    /** Opens a replication connection, and closes it: the role may do that. */
    void tryConnection(Replication replication) throws SQLException;

    /**
     * Starts a bell beside a relay. Contacts nobody before it returns.
     *
     * @param session for this bell alone
     */
    Bell start(Ringer ringer, RelaySession session);

    /**
     * Whom a bell rings for, and how.
     *
     * @param relay its name
     * @param bell a name that no other bell has
     * @param onRing called on the bell's thread when events can be seen
     * @param onChange told whether it rings ({@link WakeUp#WAL}) or not, on the bell's thread or the stream's
     */
    record Ringer(
            String relay,
            String bell,
            Replication replication,
            NetworkTimeouts network,
            Runnable onRing,
            Consumer<WakeUp> onChange) {}
}
