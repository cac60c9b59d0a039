package dev.postrider.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Marks of what was handled, and locks by name, on the caller's connection and in its transaction. Stateless; any thread
 * with its own connection.
 */
public interface InboxStore {

    /**
     * Marks what is not marked yet, in one statement. Waits for transactions that have marked the same and have not ended.
     *
     * @param subjects in an order that everybody keeps, or two callers could wait for each other
     * @return what was not marked before
     */
    Set<String> mark(Connection connection, String consumer, SortedSet<String> subjects) throws SQLException;

    /** Keeps what the marked request was answered. */
    void keepOutcome(Connection connection, String consumer, String subject, String outcome) throws SQLException;

    /** Of a mark that is there, as it was committed last. */
    @Nullable
    String outcome(Connection connection, String consumer, String subject) throws SQLException;

    /**
     * Deletes marks of this age, the oldest first.
     *
     * @return how many
     */
    int purge(Connection connection, String consumer, Duration age, int limit) throws SQLException;

    /** Waits until nobody else holds any of the locks; they are held until the transaction ends. */
    void lock(Connection connection, SortedSet<String> names) throws SQLException;

    /**
     * @return whether it is held now; false if somebody else has it
     */
    boolean tryLock(Connection connection, String name) throws SQLException;
}
