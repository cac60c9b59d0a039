package dev.postrider.testing;

import dev.postrider.OutboxEvent;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The rows, leases, notes and marks, what has committed of them, and who waits for whom. Guarded by its own monitor,
 * which whoever uses it holds.
 */
final class MemoryDatabase {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final String DUPLICATE = "23505";

    private final SettableClock clock;
    private final NavigableMap<Long, MemoryRow> rows = new TreeMap<>();
    private final Map<String, Long> requests = new HashMap<>();
    private final Map<Object, MemoryTransaction> holders = new HashMap<>();
    private final Map<String, Lease> leases = new TreeMap<>();
    private final Map<String, String> notes = new HashMap<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final MemoryMarks marks = new MemoryMarks();
    private long lastId;

    MemoryDatabase(SettableClock clock) {
        this.clock = clock;
        notes.putAll(Map.of(
                "mode",
                "claim",
                "shards",
                "1",
                "delivery",
                "at-least-once",
                "outbox_id",
                UUID.randomUUID().toString()));
    }

    /** Of a relay or a job. */
    record Lease(String owner, Instant acquiredAt, Instant expiresAt, String state) {}

    /** What may be there once. */
    private record Request(String id) {}

    Instant now() {
        return clock.instant();
    }

    NavigableMap<Long, MemoryRow> rows() {
        return rows;
    }

    Map<String, Lease> leases() {
        return leases;
    }

    Map<String, String> notes() {
        return notes;
    }

    List<Runnable> listeners() {
        return listeners;
    }

    MemoryMarks marks() {
        return marks;
    }

    /** All or none. The ids are given now, whenever the transaction commits. */
    void insert(MemoryTransaction transaction, Collection<OutboxEvent> events) throws SQLException {
        for (OutboxEvent event : events) {
            String request = event.requestId();
            if (request != null && !isNew(transaction, request)) {
                throw new SQLException("there is an event with the request id " + request, DUPLICATE);
            }
        }
        for (OutboxEvent event : events) {
            write(transaction, event);
        }
    }

    boolean insertOnce(MemoryTransaction transaction, OutboxEvent event) throws SQLException {
        String request = event.requestId();
        if (request != null && !isNew(transaction, request)) {
            return false;
        }
        write(transaction, event);
        return true;
    }

    private boolean isNew(MemoryTransaction transaction, String request) throws SQLException {
        hold(transaction, new Request(request));
        return !requests.containsKey(request);
    }

    private void write(MemoryTransaction transaction, OutboxEvent event) throws SQLException {
        MemoryRow row = new MemoryRow(++lastId, event, now());
        String request = event.requestId();
        if (request != null && requests.putIfAbsent(request, row.id) != null) {
            throw new SQLException("two events of one statement have the request id " + request, DUPLICATE);
        }
        transaction.add(() -> rows.put(row.id, row), () -> requests.remove(request, row.id));
    }

    void delete(MemoryRow row) {
        rows.remove(row.id);
        requests.remove(row.event.requestId(), row.id);
    }

    void clear() {
        rows.clear();
        requests.clear();
        marks.clear();
    }

    /** Waits for the transaction that holds it; then it is this one's until it ends. */
    void hold(MemoryTransaction transaction, Object what) throws SQLException {
        long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (!tryHold(transaction, what)) {
            long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (millis <= 0) {
                throw new SQLTimeoutException("another transaction has held " + what + " for "
                        + LONGEST_WAIT.toSeconds() + " s: is it ever committed or rolled back?");
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted while waiting for " + what, e);
            }
        }
    }

    boolean tryHold(MemoryTransaction transaction, Object what) {
        @Nullable MemoryTransaction holder = holders.putIfAbsent(what, transaction);
        if (holder == null) {
            transaction.held().add(what);
        }
        return holder == null || holder == transaction;
    }

    boolean isHeld(Object what) {
        return holders.containsKey(what);
    }

    void commit(MemoryTransaction transaction) {
        transaction.commit();
        letGo(transaction);
        listeners.forEach(Runnable::run);
    }

    void rollback(MemoryTransaction transaction) {
        transaction.rollback();
        letGo(transaction);
    }

    private void letGo(MemoryTransaction transaction) {
        holders.keySet().removeAll(transaction.held());
        transaction.held().clear();
        notifyAll();
    }
}
