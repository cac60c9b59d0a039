package dev.postrider.publish.handler;

import dev.postrider.internal.store.SqlErrors;
import dev.postrider.publish.PublishResult;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.concurrent.TimeoutException;

/** Whose fault it is that a handler has failed: what it needs is not there at the moment, or it does not like the event. */
final class HandlerFailures {
    /** However deep causes are wrapped, or go round in circles. */
    private static final int DEEPEST_CAUSE = 50;

    private HandlerFailures() {}

    /**
     * @param oneOfSeveral whether there are handlers of other types, of which an outage of this one says nothing
     */
    static PublishResult resultOf(Throwable thrown, boolean oneOfSeveral) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (isOutage(cause)) {
                return new PublishResult.Unavailable(
                        cause.getClass().getSimpleName(),
                        "The handler has failed: " + describe(thrown),
                        null,
                        oneOfSeveral);
            }
            cause = cause.getCause();
        }
        return new PublishResult.Rejected(
                thrown.getClass().getSimpleName(), "The handler has failed: " + describe(thrown), false);
    }

    /** An exception of the application's own might fail to tell. */
    private static String describe(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (RuntimeException | Error e) {
            return thrown.getClass().getName();
        }
    }

    private static boolean isOutage(Throwable cause) {
        if (cause instanceof SQLException sql) {
            return sql instanceof SQLTransientException
                    || sql instanceof SQLRecoverableException
                    || sql instanceof SQLNonTransientConnectionException
                    || sql.getSQLState() != null
                            // It says nothing of why the statement before it has failed.
                            && !SqlErrors.isAborted(sql)
                            && SqlErrors.faultOf(sql) == SqlErrors.Fault.OF_THE_SERVER;
        }
        return cause instanceof SocketException
                || cause instanceof SocketTimeoutException
                || cause instanceof UnknownHostException
                || cause instanceof HttpTimeoutException
                || cause instanceof ClosedChannelException
                || cause instanceof TimeoutException
                || cause instanceof InterruptedException;
    }
}
