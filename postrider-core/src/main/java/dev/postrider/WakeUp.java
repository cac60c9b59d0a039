package dev.postrider;

/** What wakes a relay when a transaction with events has committed in another process. It polls in any case. */
public enum WakeUp {
    /** {@link #WAL} if a replication connection is configured, otherwise {@link #NOTIFY}. */
    AUTO,
    /**
     * The replication stream of PostgreSQL, which tells of every commit, whoever wrote. What is delivered is still read from
     * the table.
     */
    WAL,
    /** Notifications, which writers send with {@link CommitNotifier}. PostgreSQL only; elsewhere the relay polls. */
    NOTIFY,
    /** Nothing. */
    POLL
}
