package dev.postrider;

/**
 * An event was to be written, or marked as handled, on a connection in autocommit mode. It would be so whether or not the
 * business change commits, which is the very fault that outbox and inbox are there to prevent.
 */
public final class NoTransactionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    public NoTransactionException() {
        super("No transaction: the connection is in autocommit mode, so this would not share the fate of your data."
                + " Call setAutoCommit(false) (or begin a transaction in your framework), do it on the same connection"
                + " as the data, then commit.");
    }
}
