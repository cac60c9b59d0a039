package dev.postrider.internal.relay;

import dev.postrider.internal.store.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what is wrong with the database: each new error once, then every minute how many there were, and when it is over. An
 * error that only a person can mend, such as a missing table or privilege, is told as what it is. Never with a stack trace: the
 * message and the state say all there is to know. Called by the relay's thread.
 */
final class DatabaseErrors {
    private static final Logger log = LoggerFactory.getLogger(RelayLoop.class);
    private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

    private final String name;
    private final LongSupplier nanoTime;

    /** Of the error that was told last; null while all is well. */
    private @Nullable String told;

    private long errors;
    private long untold;
    private long since;
    private long nextSummary;

    DatabaseErrors(String name, LongSupplier nanoTime) {
        this.name = name;
        this.nanoTime = nanoTime;
    }

    void failed(SQLException e) {
        long now = nanoTime.getAsLong();
        boolean first = told == null;
        if (first) {
            since = now;
            errors = 0;
        }
        errors++;
        // Not the whole message: that may name a process or a time, different at each attempt.
        String kind = e.getSQLState() + " " + e.getErrorCode();
        if (!kind.equals(told)) {
            told = kind;
            tell(e);
            untold = 0;
            nextSummary = now + INTERVAL;
            return;
        }
        untold++;
        if (now - nextSummary >= 0) {
            log.warn(
                    "[{}] {} more errors of the database, which has not worked for {} s; the last: {}",
                    name,
                    untold,
                    secondsSince(now),
                    inWords(e));
            untold = 0;
            nextSummary = now + INTERVAL;
        }
    }

    private void tell(SQLException e) {
        if (SqlErrors.faultOf(e) == SqlErrors.Fault.OF_THE_STATEMENT) {
            log.error(
                    "[{}] the database refuses the relay's statements, and will until its tables or"
                            + " privileges are corrected: {}. Nothing is sent meanwhile; it is tried again every few seconds. 'postrider"
                            + " doctor' says more.",
                    name,
                    inWords(e));
        } else if (SqlErrors.faultOf(e) == SqlErrors.Fault.OF_ROWS) {
            log.error("[{}] the database fails the relay's statements, trying again: {}", name, inWords(e));
        } else {
            log.warn("[{}] the database does not answer, trying again: {}", name, inWords(e));
        }
    }

    /** Events have been fetched, or there were none. */
    void none() {
        if (told != null) {
            told = null;
            log.info(
                    "[{}] the database works again, after {} s and {} errors",
                    name,
                    secondsSince(nanoTime.getAsLong()),
                    errors);
        }
    }

    private long secondsSince(long now) {
        return Duration.ofNanos(now - since).toSeconds();
    }

    /** Drivers add lines with details, such as where in a statement. */
    private static String inWords(SQLException e) {
        String message =
                String.valueOf(e.getMessage()).lines().findFirst().orElse("").strip();
        return e.getSQLState() == null ? message : message + " (SQL state " + e.getSQLState() + ")";
    }
}
