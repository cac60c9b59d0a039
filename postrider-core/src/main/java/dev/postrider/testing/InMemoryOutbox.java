package dev.postrider.testing;

import dev.postrider.EventStatus;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An outbox without a database, for tests. {@code Outbox}, {@code Inbox}, {@code NamedLocks} and {@code Relay} use its
 * connections like those of a database: what a transaction writes exists when it commits and not when it is rolled
 * back, keys keep their order, retries wait for their time by {@link #clock()}. Claim mode only, without operators'
 * tools.
 *
 * <pre>{@code
 * InMemoryOutbox memory = new InMemoryOutbox();
 * RecordingPublisher publisher = RecordingPublisher.acceptingAll();
 * service(memory.dataSource()).placeOrder("o-1");
 * ManualRelay.of(memory, publisher).runUntilIdle();
 * }</pre>
 *
 * <p>Any thread.
 */
public final class InMemoryOutbox {
    private final OutboxTable table;
    private final SettableClock clock;
    private final MemoryDatabase database;

    public InMemoryOutbox() {
        this(OutboxTable.DEFAULT, new SettableClock());
    }

    public InMemoryOutbox(OutboxTable table, SettableClock clock) {
        this.table = table;
        this.clock = clock;
        this.database = new MemoryDatabase(clock);
    }

    /**
     * A committed event and its state.
     *
     * @param attempts number of failed attempts
     * @param lastError of the last failed attempt; null if there was none, or it was published after that
     */
    public record Entry(
            long id,
            OutboxEvent event,
            EventStatus status,
            int attempts,
            @Nullable String lastError) {}

    public OutboxTable table() {
        return table;
    }

    /** The clock for retries, schedules, leases and retention. */
    public SettableClock clock() {
        return clock;
    }

    /** Connections with transactions, but without SQL. */
    public DataSource dataSource() {
        return new Source(null);
    }

    /**
     * The connections of a test's own database, of any kind, with this outbox in them: what you write to the outbox in
     * one of their transactions commits and rolls back with that transaction.
     */
    public DataSource around(DataSource other) {
        return new Source(other);
    }

    /** All committed events with their states, in the order of their ids. */
    public List<Entry> entries() {
        synchronized (database) {
            return database.rows().values().stream()
                    .map(row -> new Entry(row.id, row.event, row.status, row.attempts, row.lastError))
                    .toList();
        }
    }

    /** All events that were written and committed. */
    public List<OutboxEvent> events() {
        return entries().stream().map(Entry::event).toList();
    }

    public List<OutboxEvent> events(EventStatus status) {
        return entries().stream()
                .filter(entry -> entry.status() == status)
                .map(Entry::event)
                .toList();
    }

    /** Forgets every event and every mark of an inbox. */
    public void clear() {
        synchronized (database) {
            database.clear();
        }
    }

    private final class Source implements DataSource {
        private final @Nullable DataSource around;

        Source(@Nullable DataSource around) {
            this.around = around;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return MemoryConnection.open(database, table, around == null ? null : around.getConnection());
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return MemoryConnection.open(database, table, around == null ? null : around.getConnection(user, password));
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException("there is no logger");
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            if (around == null) {
                throw new SQLException("the in-memory outbox wraps nothing");
            }
            return around.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return around != null && around.isWrapperFor(type);
        }
    }
}
