package dev.postrider;

import java.sql.Connection;

/** In the place of a {@link CurrentTransaction} that nobody has given: says what to do instead. */
record UnknownTransaction(String refusal) implements CurrentTransaction {

    @Override
    public Connection connection() {
        throw new NoTransactionException(refusal);
    }

    @Override
    public void afterCommit(Runnable action) {
        throw new NoTransactionException(refusal);
    }
}
