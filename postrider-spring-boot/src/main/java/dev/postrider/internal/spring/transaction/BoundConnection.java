package dev.postrider.internal.spring.transaction;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;

/**
 * Tells a transaction's own connection from one that was only borrowed while another data source's transaction runs:
 * whoever asks {@code DataSourceUtils} for a connection then gets one that stays bound until that transaction ends, and
 * that nobody commits. It is in autocommit mode, unless the pool turns that off; so autocommit does not tell.
 */
final class BoundConnection {
    /** Not public in Spring. Null where it cannot be reached; then autocommit has to do. */
    private static final @Nullable MethodHandle TRANSACTION_ACTIVE = transactionActive();

    private BoundConnection() {}

    private static @Nullable MethodHandle transactionActive() {
        try {
            return MethodHandles.privateLookupIn(ConnectionHolder.class, MethodHandles.lookup())
                    .findVirtual(ConnectionHolder.class, "isTransactionActive", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException | SecurityException e) {
            return null;
        }
    }

    static boolean isOfTransaction(ConnectionHolder holder) {
        // JPA's transaction managers bind theirs without these marks.
        if (!holder.isSynchronizedWithTransaction() || TRANSACTION_ACTIVE == null) {
            return true;
        }
        try {
            return (boolean) TRANSACTION_ACTIVE.invokeExact(holder);
        } catch (Throwable e) {
            throw new IllegalStateException("A connection holder does not say whether its transaction is active.", e);
        }
    }
}
