package dev.postrider.testing;

import dev.postrider.EventStatus;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxPause;
import dev.postrider.OutboxStatus;
import dev.postrider.OutboxStatus.BlockedDestination;
import dev.postrider.OutboxStatus.RelayLease;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.StatusStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How the outbox in memory stands. */
final class MemoryStatus implements StatusStore {
    private final MemoryDatabase database;

    MemoryStatus(MemoryDatabase database) {
        this.database = database;
    }

    @Override
    public OutboxStatus status(Connection connection) {
        synchronized (database) {
            Map<EventStatus, Long> counts = new EnumMap<>(EventStatus.class);
            for (EventStatus status : EventStatus.values()) {
                counts.put(status, 0L);
            }
            database.rows().values().forEach(row -> counts.merge(row.status, 1L, Long::sum));
            Backlog backlog = backlog(connection, 1);
            return new OutboxStatus(
                    OutboxLayout.claim(),
                    counts,
                    0,
                    backlog.count() == 0 ? null : backlog.oldest(),
                    List.of(),
                    relays(),
                    List.of(),
                    blocked(),
                    OutboxStatus.Unread.NONE,
                    List.of(),
                    OutboxPause.parse(database.notes().get(OutboxPause.SETTING)));
        }
    }

    private List<BlockedDestination> blocked() {
        Map<String, List<MemoryRow>> waiting = new TreeMap<>();
        for (MemoryRow row : database.rows().values()) {
            if (row.blockedBy != null) {
                waiting.computeIfAbsent(row.blockedBy, any -> new ArrayList<>()).add(row);
            }
        }
        List<BlockedDestination> blocked = new ArrayList<>();
        waiting.forEach((destination, rows) -> {
            MemoryRow first = rows.get(0);
            Instant since = first.firstFailedAt == null ? first.createdAt : first.firstFailedAt;
            blocked.add(new BlockedDestination(
                    destination,
                    rows.size(),
                    Duration.between(since, database.now()),
                    first.lastError == null ? "" : first.lastError));
        });
        return blocked;
    }

    private List<RelayLease> relays() {
        Instant now = database.now();
        return database.leases().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("relay/"))
                .map(Map.Entry::getValue)
                .map(lease -> new RelayLease(
                        lease.owner(),
                        lease.expiresAt().isAfter(now),
                        database.rows().values().stream()
                                .filter(row -> lease.owner().equals(row.lockedBy))
                                .count(),
                        Duration.between(lease.acquiredAt(), now),
                        lease.state()))
                .toList();
    }

    @Override
    public Backlog backlog(Connection connection, int cap) {
        synchronized (database) {
            List<MemoryRow> unsent = database.rows().values().stream()
                    .filter(MemoryRow::isUnsent)
                    .limit(cap)
                    .toList();
            return unsent.isEmpty()
                    ? new Backlog(0, Duration.ZERO)
                    : new Backlog(unsent.size(), Duration.between(unsent.get(0).createdAt, database.now()));
        }
    }

    @Override
    public long countFailed(Connection connection, int cap) {
        synchronized (database) {
            return database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.FAILED)
                    .limit(cap)
                    .count();
        }
    }
}
