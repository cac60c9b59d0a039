package dev.postrider;

/**
 * An event was to be written, or marked as handled, outside a transaction: on a connection in autocommit mode, or by a
 * thread that is in none. It would be so whether or not the business change commits, which is the very fault that outbox
 * and inbox are there to prevent.
 */
public final class NoTransactionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    /** Of a connection in autocommit mode. */
    public NoTransactionException() {
        this("No transaction: the connection is in autocommit mode, so this would not share the fate of your data."
                + " Call setAutoCommit(false) (or begin a transaction in your framework), do it on the same connection"
                + " as the data, then commit.");
    }

    /**
     * For a {@link CurrentTransaction}.
     *
     * @param message says how a transaction begins there
     */
    public NoTransactionException(String message) {
        super(message);
    }
}
