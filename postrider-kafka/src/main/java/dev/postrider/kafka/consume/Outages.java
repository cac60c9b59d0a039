package dev.postrider.kafka.consume;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;

/**
 * Which failures are not the record's: what the handler needs is down, and the next record would fail as well; or its
 * transaction was in the way of another's, and will not be the next time. For those who add to what {@link
 * KafkaEventConsumer.Builder#outage} takes for one, or read topics by other means.
 */
public final class Outages {
    private Outages() {}

    /**
     * The database cannot be reached, is shutting down or starting up, or the pool has no connection left; or it has ended
     * the transaction for the sake of another: a deadlock or a serialization failure.
     */
    public static boolean ofTheDatabase(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLNonTransientConnectionException
                    || cause instanceof SQLRecoverableException) {
                return true;
            }
            if (cause instanceof SQLException sql && isOutage(sql.getSQLState())) {
                return true;
            }
            if (cause.getCause() == cause) {
                return false;
            }
        }
        return false;
    }

    /**
     * Class 08: connection. 57P01 to 57P03: PostgreSQL shuts down, has crashed, starts up. 40001 and 40P01: rolled back for
     * the sake of another transaction.
     */
    private static boolean isOutage(String state) {
        return state != null && (state.startsWith("08") || state.matches("57P0[1-3]|40001|40P01"));
    }
}
