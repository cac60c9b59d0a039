package dev.postrider;

/**
 * An event was to be written on a connection in autocommit mode. Such an event would exist whether
 * or not the business change commits, which is the very fault an outbox is there to prevent.
 */
public final class NoTransactionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    public NoTransactionException() {
        super("No transaction: the connection is in autocommit mode, so the event would not share the fate of"
                + " your data. Call setAutoCommit(false) (or begin a transaction in your framework), write the"
                + " event on the same connection as the data, then commit.");
    }
}
