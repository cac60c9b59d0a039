package dev.postrider.internal.spring.health;

import dev.postrider.OutboxPause;
import dev.postrider.OutboxTable;
import dev.postrider.internal.spring.relay.BoundedConnections;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Asks the database how much waits, at most every five seconds however often health is asked for, and in a bounded time: on a
 * thread of its own, of which there is one at most. If the database says nothing, whoever asks is told so after two
 * seconds. Any thread.
 */
public final class OutboxLook {
    /** The network timeout is the longer one: by then nobody waits any more, and the thread is to end. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration FRESH = Duration.ofSeconds(5);

    private static final String DEAD_LETTERS = """
            select count(*) from (select 1 from {dead_letter} limit %d) capped
            """.formatted(Levels.CAP);

    private final DataSource dataSource;
    private final OutboxTable table;

    private @Nullable CompletableFuture<Levels> latest;
    private long latestBegan;

    public OutboxLook(DataSource dataSource, OutboxTable table) {
        this.dataSource = new BoundedConnections(dataSource, NETWORK);
        this.table = table;
    }

    OutboxTable table() {
        return table;
    }

    /**
     * @throws NoLevelsException if the database cannot be asked, or does not answer
     */
    Levels levels() throws NoLevelsException {
        try {
            return current().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new NoLevelsException("The database does not answer.");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new NoLevelsException(String.valueOf(cause.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NoLevelsException("Interrupted.");
        }
    }

    private synchronized CompletableFuture<Levels> current() {
        CompletableFuture<Levels> known = latest;
        if (known != null && (!known.isDone() || System.nanoTime() - latestBegan < FRESH.toNanos())) {
            return known;
        }
        CompletableFuture<Levels> next = new CompletableFuture<>();
        latest = next;
        latestBegan = System.nanoTime();
        Thread thread = new Thread(() -> look(next), "postrider-health");
        thread.setDaemon(true);
        thread.start();
        return next;
    }

    private void look(CompletableFuture<Levels> answer) {
        try (Connection connection = dataSource.getConnection()) {
            answer.complete(look(connection));
        } catch (SQLException | RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private Levels look(Connection connection) throws SQLException {
        boolean before = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            Database database = Databases.of(connection);
            OutboxStore store = database.outboxStore(table);
            Backlog backlog = store.statusStore(connection).backlog(connection, Levels.CAP);
            return new Levels(
                    backlog.count(),
                    backlog.oldest(),
                    deadLetters(connection, database),
                    OutboxPause.parse(store.note(connection, OutboxPause.SETTING)));
        } finally {
            connection.setAutoCommit(before);
        }
    }

    private long deadLetters(Connection connection, Database database) throws SQLException {
        String sql = DEAD_LETTERS.replace("{dead_letter}", database.quoted(table.deadLetterSql()));
        try (PreparedStatement count = connection.prepareStatement(sql);
                ResultSet row = count.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** With what is to be said. */
    static final class NoLevelsException extends Exception {
        private static final long serialVersionUID = 1L;

        NoLevelsException(String message) {
            super(message, null, false, false);
        }
    }
}
