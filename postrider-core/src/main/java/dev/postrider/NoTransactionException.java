package dev.postrider;

/**
 * An attempt to write an event, or to mark one as handled, outside a transaction: on a connection in autocommit mode,
 * or on a thread that is in no transaction. The write would take effect whether or not the business change commits,
 * which is exactly what outbox and inbox prevent.
 */
public final class NoTransactionException extends PostriderException {
    private static final long serialVersionUID = 1L;

    /** For a connection in autocommit mode. */
    public NoTransactionException() {
        this("No transaction: the connection is in autocommit mode, so this would not share the fate of your data."
                + " Call setAutoCommit(false) (or begin a transaction in your framework), do it on the same connection"
                + " as the data, then commit.");
    }

    /**
     * For a {@link CurrentTransaction}.
     *
     * @param message says how to begin a transaction there
     */
    public NoTransactionException(String message) {
        super(message);
    }
}
