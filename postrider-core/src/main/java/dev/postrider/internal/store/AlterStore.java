package dev.postrider.internal.store;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a change of an outbox's layout asks of a database, beside {@link AdminStore}. One connection does it all, in
 * autocommit mode between {@link #open} and {@link #close}; every method is a transaction of its own unless it says
 * otherwise, and may be called again after a crash.
 */
public interface AlterStore {

    /** Waits for other operators and keeps them waiting until {@link #close}. */
    void open(Connection connection) throws SQLException;

    void close(Connection connection) throws SQLException;

    // ---- what is under way

    /** The change that was begun and not finished; null if there is none. */
    @Nullable
    Change underWay(Connection connection) throws SQLException;

    /**
     * @param command what finishes it
     * @param step the last one that was done; empty if none was
     * @param snapshot what had ended when the change began to move events; null if it has not
     */
    record Change(
            String command,
            OutboxLayout from,
            OutboxLayout to,
            String step,
            @Nullable String snapshot) {}

    /** From here on no relay can start. */
    void begin(Connection connection, Change change) throws SQLException;

    /** As if nothing had been asked; only before the first step. */
    void cancel(Connection connection, OutboxLayout from) throws SQLException;

    void stepDone(Connection connection, String step) throws SQLException;

    /**
     * In the caller's transaction: the new layout holds.
     *
     * @param newId whether the outbox gets a new identity, so that positions kept under the old one count no more
     */
    void finish(Connection connection, OutboxLayout layout, boolean newId) throws SQLException;

    /** Leases of relays and shards that have not expired. */
    List<Alive> alive(Connection connection) throws SQLException;

    /**
     * @param name of the lease
     * @param left until it expires, if nobody renews it
     */
    record Alive(String name, String owner, Duration left) {}

    // ---- indexes and the default, with writers at work

    /** Builds what a layout needs beside what is there; blocks no writer, but waits for those that have begun. */
    void createIndexes(Connection connection, OutboxLayout layout) throws SQLException;

    /** Gives the index of the log its name, and notes the one that had it as to be dropped. */
    void swapLogIndex(Connection connection, OutboxLayout layout) throws SQLException;

    /** Notes the indexes of a mode as to be dropped, without blocking anybody until they are. */
    void dropLater(Connection connection, OutboxMode mode) throws SQLException;

    /**
     * What a new row's status is. With the snapshot, if the change has none yet, and the step, in one transaction: the
     * snapshot sees no row that was written under the new default, and afterwards no row of the old one is still to be
     * committed.
     *
     * @return false if the lock was not to be had within a moment; writers had to wait as long
     */
    boolean setDefault(Connection connection, OutboxMode mode, String step) throws SQLException;

    /** Who has the table in use, those that have had it for longest first. */
    List<String> users(Connection connection) throws SQLException;

    // ---- moving events

    /** Notes which transactions have ended, unless that was done before. */
    String takeSnapshot(Connection connection) throws SQLException;

    /** The highest id that can be seen. */
    long lastId(Connection connection) throws SQLException;

    /** No event ahead of a shard's cursor has an id up to this one. */
    long firstAhead(Connection connection, int shard) throws SQLException;

    /**
     * A part of a table.
     *
     * @param after where it begins
     * @param until where the walk ends
     */
    record Range(long after, long until, int limit) {}

    /**
     * @param looked rows looked at; fewer than the limit: that was the last part
     * @param lastId where the next part begins
     * @param moved events
     */
    record Part(long looked, long lastId, long moved) {}

    /** Log: events of a shard ahead of its cursor that the snapshot sees become invisible in it. */
    Part moveBehind(Connection connection, OutboxLayout layout, int shard, String snapshot, Range range)
            throws SQLException;

    /** Log: events of a shard ahead of its cursor become PENDING. */
    Part toPending(Connection connection, OutboxLayout layout, int shard, Range range) throws SQLException;

    /** Log: events beside the log become rows of claim mode. */
    Part parkedToClaim(Connection connection, Range range) throws SQLException;

    /** Log: rows of dead letters become DEAD_LETTER. */
    Part deadToClaim(Connection connection, Range range) throws SQLException;

    /**
     * Claim: unfinished and dead events become events of the log or beside it, key by key.
     *
     * @param after the last key and id of the part before; null at the beginning
     */
    ClaimPart toLog(Connection connection, OutboxLayout layout, @Nullable Place after, int limit) throws SQLException;

    record Place(long keyHash, long id) {}

    /**
     * @param last null if nothing was left to look at
     */
    record ClaimPart(long looked, @Nullable Place last, long moved) {}

    /**
     * In one transaction with the step: every shard's cursor begins at the snapshot, the history of all of them is gone,
     * and events beside the log belong to the shards of the new layout. A shard that is no more keeps a row, so that a
     * relay that was paused all the time finds its number taken.
     */
    void beginCursors(Connection connection, OutboxLayout layout, String snapshot, String step) throws SQLException;

    // ---- another cluster

    /** What the rows say about the cluster they were written in. */
    Evidence evidence(Connection connection) throws SQLException;

    /**
     * @param sameCluster whether the newest rows of all cursors belong to this one
     * @param foreign whether rows or cursors have transactions that this cluster has not reached
     * @param copied whether rows were copied in: their transactions are not those that wrote them here
     */
    record Evidence(boolean sameCluster, boolean foreign, boolean copied) {}

    /** The cursors go on where they are, in this cluster. */
    void continueCursors(Connection connection, int shards) throws SQLException;

    /**
     * Log: rows that were surely delivered by the old cluster's cursors become visible for ever, all others invisible in
     * every snapshot taken before. Goes on after a crash where it was, since a row must not be judged twice.
     */
    Part adopt(Connection connection, OutboxLayout layout, Range range) throws SQLException;

    /** How far {@link #adopt} had come. */
    long adopted(Connection connection) throws SQLException;

    // ---- what has time until relays run again

    /** What was left to be done later, or null. */
    @Nullable
    Leftover leftover(Connection connection) throws SQLException;

    /**
     * @param indexes to be dropped
     * @param delivered rows of the log to be marked as PUBLISHED; null if there are none
     */
    record Leftover(List<String> indexes, @Nullable Range delivered) {}

    /** Notes that delivered rows of the log are to be marked as PUBLISHED. */
    void publishLater(Connection connection) throws SQLException;

    /** Marks them, so that retention and replay find them. */
    Part publishDelivered(Connection connection, Range range) throws SQLException;

    void dropIndex(Connection connection, String name) throws SQLException;

    /** Nothing is left. */
    void forgetLeftover(Connection connection) throws SQLException;
}
