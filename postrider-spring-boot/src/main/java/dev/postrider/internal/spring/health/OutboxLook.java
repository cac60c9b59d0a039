package dev.postrider.internal.spring.health;

import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxTable;
import dev.postrider.admin.OutboxLevels;
import dev.postrider.internal.spring.relay.BoundedConnections;
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
    /** So that looking costs the same with ten events and with ten million. */
    static final int CAP = 10_000;

    /** The network timeout is the longer one: by then nobody waits any more, and the thread is to end. */
    private static final Duration NETWORK = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration FRESH = Duration.ofSeconds(5);

    private final OutboxAdmin admin;
    private final OutboxTable table;

    private @Nullable CompletableFuture<OutboxLevels> latest;
    private long latestBegan;

    public OutboxLook(DataSource dataSource, OutboxTable table) {
        this.admin = OutboxAdmin.builder(new BoundedConnections(dataSource, NETWORK))
                .table(table)
                .build();
        this.table = table;
    }

    OutboxTable table() {
        return table;
    }

    /**
     * @throws NoLevelsException if the database cannot be asked, or does not answer
     */
    OutboxLevels levels() throws NoLevelsException {
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

    private synchronized CompletableFuture<OutboxLevels> current() {
        CompletableFuture<OutboxLevels> known = latest;
        if (known != null && (!known.isDone() || System.nanoTime() - latestBegan < FRESH.toNanos())) {
            return known;
        }
        CompletableFuture<OutboxLevels> next = new CompletableFuture<>();
        latest = next;
        latestBegan = System.nanoTime();
        Thread thread = new Thread(() -> look(next), "postrider-health-" + table);
        thread.setDaemon(true);
        thread.start();
        return next;
    }

    private void look(CompletableFuture<OutboxLevels> answer) {
        try {
            answer.complete(admin.levels(CAP));
        } catch (RuntimeException | Error e) {
            answer.completeExceptionally(e);
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
