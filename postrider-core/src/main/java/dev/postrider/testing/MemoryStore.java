package dev.postrider.testing;

import dev.postrider.EventStatus;
import dev.postrider.NetworkTimeouts;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Split;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SingleRows;
import dev.postrider.internal.store.StatusStore;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.testing.MemoryDatabase.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An outbox in memory, in claim mode. What is one transaction in a database is one step under the monitor here. Any
 * thread with its own connection.
 *
 * <p>A claim looks everywhere, also below the id it is told to begin with: that is for tables that are large.
 */
final class MemoryStore implements OutboxStore {
    private static final String RELAY = "relay/";
    private static final Duration MEMORY_OF_DEAD_RELAYS = Duration.ofMinutes(10);

    private final MemoryDatabase database;
    private final OutboxTable table;

    MemoryStore(MemoryDatabase database, OutboxTable table) {
        this.database = database;
        this.table = table;
    }

    // ---- writing

    @Override
    public void insert(Connection connection, Collection<OutboxEvent> events) throws SQLException {
        synchronized (database) {
            database.insert(MemoryConnection.of(connection).transaction(), events);
        }
    }

    @Override
    public boolean insertOnce(Connection connection, OutboxEvent event) throws SQLException {
        synchronized (database) {
            return database.insertOnce(MemoryConnection.of(connection).transaction(), event);
        }
    }

    // ---- claiming

    @Override
    public void prepareRelaySession(Connection connection) {}

    @Override
    public void restoreSession(Connection connection) {}

    @Override
    public void checkOrdering(Connection connection, Ordering ordering) {}

    @Override
    public Claimed claim(Connection connection, ClaimRequest request) {
        synchronized (database) {
            Instant now = database.now();
            List<MemoryRow> ready = candidates(request.split(), now, false)
                    .filter(row -> row.nextAttemptAt == null)
                    .limit(request.scan())
                    .toList();
            List<MemoryRow> met = new ArrayList<>(ready);
            candidates(request.split(), now, false)
                    .filter(row -> row.nextAttemptAt != null)
                    .sorted(Comparator.comparing(MemoryStore::dueAt).thenComparing(row -> row.id))
                    .limit(request.scanOfDue())
                    .forEach(met::add);
            long lowest = ready.isEmpty() ? 0 : ready.get(0).id;
            if (request.ordering() == Ordering.NONE) {
                met.sort(Comparator.comparing(MemoryStore::dueAt).thenComparing(row -> row.id));
                List<MemoryRow> chosen = withinLimits(met, request);
                return take(chosen, request.owner(), now, request.maxEventBytes(), 0, chosen.size(), lowest)
                        .withNext(nextDue(now));
            }
            met.sort(Comparator.comparing(row -> row.id));
            return claimInOrder(met, request, lowest, now).withNext(nextDue(now));
        }
    }

    private Claimed claimInOrder(List<MemoryRow> met, ClaimRequest request, long lowest, Instant now) {
        Map<Long, MemoryRow> gates = gates(met, now);
        List<MemoryRow> free = new ArrayList<>();
        Set<Long> heldKeys = new HashSet<>();
        int held = 0;
        for (MemoryRow row : met) {
            MemoryRow gate = gates.get(row.keyHash);
            if (gate == null || row.id < gate.id) {
                free.add(row);
            } else if (gate.status == EventStatus.BLOCKED) {
                // It waits for the same, and goes on with it.
                row.block(gate.blockedBy);
                heldKeys.add(row.keyHash);
                held++;
            } else if (gate.closesItsKey(now)) {
                row.become(EventStatus.HELD);
                heldKeys.add(row.keyHash);
                held++;
            }
        }
        List<MemoryRow> chosen = withinLimits(free, request);
        return take(chosen, request.owner(), now, request.maxEventBytes(), held, met.size(), lowest)
                .withHeldKeys(heldKeys);
    }

    private Stream<MemoryRow> candidates(Split split, Instant now, boolean suspect) {
        return database.rows().values().stream()
                .filter(row -> row.isDue(now) && row.isSuspect() == suspect && row.isIn(split));
    }

    private static Instant dueAt(MemoryRow row) {
        return row.nextAttemptAt == null ? row.createdAt : row.nextAttemptAt;
    }

    /** Of each key, the first event that holds back others and is not among those met. */
    private Map<Long, MemoryRow> gates(List<MemoryRow> met, Instant now) {
        Set<MemoryRow> free = new HashSet<>(met);
        Map<Long, MemoryRow> gates = new HashMap<>();
        for (MemoryRow row : database.rows().values()) {
            if (row.holdsBackOthers(now) && !free.contains(row)) {
                gates.putIfAbsent(row.keyHash, row);
            }
        }
        return gates;
    }

    private static List<MemoryRow> withinLimits(List<MemoryRow> rows, ClaimRequest request) {
        List<MemoryRow> chosen = new ArrayList<>();
        long bytes = 0;
        for (MemoryRow row : rows) {
            long size = row.size() <= request.maxEventBytes() ? row.size() : 0;
            if (chosen.size() == request.maxEvents() || bytes > 0 && bytes + size > request.maxBytes()) {
                break;
            }
            chosen.add(row);
            bytes += size;
        }
        return chosen;
    }

    private static Claimed take(
            List<MemoryRow> rows, String owner, Instant now, long maxEventBytes, int held, int seen, long lowest) {
        List<StoredEvent> events = new ArrayList<>();
        List<Settlement.Dead> unsendable = new ArrayList<>();
        for (MemoryRow row : rows) {
            StoredEvent taken = row.take(owner, now);
            if (row.size() <= maxEventBytes) {
                events.add(taken);
            } else {
                unsendable.add(Settlement.Dead.tooLarge(taken.claim(), row.size(), maxEventBytes));
            }
        }
        return new Claimed(events, unsendable, held, seen, lowest);
    }

    @Override
    public Outlook outlook(Connection connection) {
        synchronized (database) {
            Instant now = database.now();
            boolean suspects = candidates(Split.ALL, now, true).findAny().isPresent();
            return new Outlook(suspects, nextDue(now));
        }
    }

    private @Nullable Duration nextDue(Instant now) {
        return database.rows().values().stream()
                .filter(row -> row.isScheduled(now))
                .map(row -> Duration.between(now, dueAt(row)))
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    @Override
    public List<Integer> deathsOfSuspects(Connection connection) {
        synchronized (database) {
            return candidates(Split.ALL, database.now(), true)
                    .map(row -> row.abandoned)
                    .distinct()
                    .sorted()
                    .toList();
        }
    }

    @Override
    public Claimed claimSuspects(Connection connection, ClaimRequest request, int deaths) {
        synchronized (database) {
            Instant now = database.now();
            List<MemoryRow> suspects = candidates(request.split(), now, true)
                    .filter(row -> row.abandoned == deaths)
                    .limit(request.scan())
                    .toList();
            return claimInOrder(suspects, request, 0, now);
        }
    }

    // ---- settling

    @Override
    public Set<Long> settle(Connection connection, List<Settlement> settlements, OnPublished onPublished) {
        synchronized (database) {
            Set<Long> recorded = new HashSet<>();
            for (Settlement settlement : settlements) {
                MemoryRow row = claimed(settlement);
                if (row != null && !(settlement instanceof Settlement.Dead)) {
                    settle(row, settlement, onPublished);
                    recorded.add(row.id);
                }
            }
            return recorded;
        }
    }

    /** Null if the row is no longer the claimer's. */
    private @Nullable MemoryRow claimed(Settlement settlement) {
        MemoryRow row = database.rows().get(settlement.claim().id());
        return row != null && row.isHeldBy(settlement.claim()) ? row : null;
    }

    private void settle(MemoryRow row, Settlement settlement, OnPublished onPublished) {
        if (settlement instanceof Settlement.Published) {
            row.become(EventStatus.PUBLISHED);
            row.publishedAt = database.now();
            row.nextAttemptAt = null;
            row.lastError = null;
            if (onPublished == OnPublished.DELETE) {
                database.delete(row);
            }
        } else if (settlement instanceof Settlement.Failed failed) {
            row.become(EventStatus.FAILED);
            row.attempts += failed.counted() ? 1 : 0;
            row.abandoned = 0;
            row.nextAttemptAt = database.now().plus(failed.delay());
            fail(row, failed.error());
        } else if (settlement instanceof Settlement.Blocked blocked) {
            row.block(blocked.destination());
            row.holdsKey = true;
            row.abandoned = 0;
            row.nextAttemptAt = null;
            fail(row, blocked.error());
        } else {
            row.become(EventStatus.PENDING);
        }
    }

    private void fail(MemoryRow row, String error) {
        row.lastError = error;
        if (row.firstFailedAt == null) {
            row.firstFailedAt = database.now();
        }
    }

    /** The row is the letter. */
    @Override
    public Set<Long> bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) {
        synchronized (database) {
            Set<Long> recorded = new HashSet<>();
            for (Settlement.Dead one : dead) {
                MemoryRow row = claimed(one);
                if (row != null) {
                    row.become(EventStatus.DEAD_LETTER);
                    row.attempts++;
                    row.nextAttemptAt = null;
                    row.holdsKey = holdKeys;
                    row.errorClass = one.errorClass();
                    fail(row, one.error());
                    recorded.add(row.id);
                }
            }
            return recorded;
        }
    }

    @Override
    public Set<Long> buryWithoutLetter(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) {
        return bury(connection, dead, holdKeys);
    }

    @Override
    public SingleRows singly() {
        return SingleRows.NONE;
    }

    @Override
    public Map<Long, String> describe(Connection connection, List<? extends Settlement> claimed) {
        synchronized (database) {
            Map<Long, String> lines = new LinkedHashMap<>();
            for (Settlement settlement : claimed) {
                MemoryRow row = claimed(settlement);
                if (row != null) {
                    lines.put(row.id, line(row));
                }
            }
            return lines;
        }
    }

    private static String line(MemoryRow row) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("id", row.id);
        line.put("event_id", row.event.id().toString());
        line.put("event_type", row.event.type());
        line.put("aggregate_type", row.event.aggregateType());
        line.put("aggregate_id", row.event.aggregateId());
        line.put(
                "payload_text",
                row.event.payload().isJson() ? row.event.payload().text() : null);
        line.put("attempts", row.attempts);
        return JsonMapper.shared().writeValueAsString(line);
    }

    // ---- repairs

    @Override
    public HeldKeys releaseHeld(Connection connection, long fromKey, int keys, int limit) {
        synchronized (database) {
            List<Long> closed = database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.HELD && row.keyHash >= fromKey)
                    .map(row -> row.keyHash)
                    .distinct()
                    .sorted()
                    .limit(keys)
                    .toList();
            long last = closed.isEmpty() ? 0 : closed.get(closed.size() - 1);
            return new HeldKeys(closed.size(), last, releaseHeld(connection, closed, limit));
        }
    }

    @Override
    public int releaseHeld(Connection connection, Collection<Long> keys, int limit) {
        synchronized (database) {
            Set<Long> wanted = Set.copyOf(keys);
            Map<Long, MemoryRow> firsts = gates(List.of(), database.now());
            List<MemoryRow> open = database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.HELD
                            && wanted.contains(row.keyHash)
                            && isOpen(firsts.get(row.keyHash)))
                    .limit(limit)
                    .toList();
            open.forEach(MemoryRow::release);
            return open.size();
        }
    }

    private static boolean isOpen(@Nullable MemoryRow first) {
        return first != null
                && (first.status == EventStatus.HELD
                        || first.status == EventStatus.PENDING && first.nextAttemptAt == null);
    }

    @Override
    public List<String> blockedDestinations(Connection connection, String after, int limit) {
        synchronized (database) {
            return blocked()
                    .map(row -> row.blockedBy)
                    .distinct()
                    .filter(destination -> destination.compareTo(after) > 0)
                    .sorted()
                    .limit(limit)
                    .toList();
        }
    }

    @Override
    public int releaseBlocked(Connection connection, String destination, int limit) {
        synchronized (database) {
            List<MemoryRow> released = blocked()
                    .filter(row -> destination.equals(row.blockedBy))
                    .limit(limit)
                    .toList();
            released.forEach(row -> row.become(EventStatus.PENDING));
            return released.size();
        }
    }

    @Override
    public ReleasedTo releaseAnyBlocked(Connection connection, ReleasedTo after, int limit) {
        synchronized (database) {
            ReleasedTo last = new ReleasedTo(after.destination(), after.id(), 0);
            List<MemoryRow> rows = blocked()
                    .filter(row -> isAfter(row, after))
                    .sorted(Comparator.comparing(MemoryStore::waitsFor).thenComparing(row -> row.id))
                    .limit(limit)
                    .toList();
            for (MemoryRow row : rows) {
                last = new ReleasedTo(waitsFor(row), row.id, rows.size());
                row.become(EventStatus.PENDING);
            }
            return last;
        }
    }

    /** All at once: that it is done in pieces is for tables that are large. */
    @Override
    public ReleasedTo releaseFollowers(Connection connection, ReleasedTo after, int limit) {
        synchronized (database) {
            Map<Long, MemoryRow> firsts = gates(List.of(), database.now());
            List<MemoryRow> leftBehind = blocked()
                    .filter(row -> isFollower(row) && isFollower(firsts.get(row.keyHash)))
                    .toList();
            leftBehind.forEach(row -> row.become(EventStatus.PENDING));
            return new ReleasedTo("", 0, leftBehind.size());
        }
    }

    private static boolean isFollower(@Nullable MemoryRow row) {
        return row != null && row.status == EventStatus.BLOCKED && !row.holdsKey;
    }

    private static boolean isAfter(MemoryRow row, ReleasedTo after) {
        int compared = waitsFor(row).compareTo(after.destination());
        return compared > 0 || compared == 0 && row.id > after.id();
    }

    private static String waitsFor(MemoryRow row) {
        return row.blockedBy == null ? "" : row.blockedBy;
    }

    private Stream<MemoryRow> blocked() {
        return database.rows().values().stream().filter(row -> row.status == EventStatus.BLOCKED);
    }

    @Override
    public int recoverStalled(Connection connection, int limit) {
        synchronized (database) {
            Instant now = database.now();
            database.leases()
                    .entrySet()
                    .removeIf(lease -> lease.getKey().startsWith(RELAY)
                            && lease.getValue()
                                    .expiresAt()
                                    .plus(MEMORY_OF_DEAD_RELAYS)
                                    .isBefore(now));
            List<MemoryRow> stalled = database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.SENDING && !isAlive(row.lockedBy, now))
                    .limit(limit)
                    .toList();
            stalled.forEach(row -> {
                row.become(EventStatus.PENDING);
                row.abandoned++;
            });
            return stalled.size();
        }
    }

    private boolean isAlive(@Nullable String owner, Instant now) {
        Lease lease = database.leases().get(RELAY + owner);
        return lease != null && lease.expiresAt().isAfter(now);
    }

    // ---- leases

    @Override
    public void renewInstance(Connection connection, String owner, Duration length, String state) {
        synchronized (database) {
            Instant now = database.now();
            database.leases()
                    .merge(
                            RELAY + owner,
                            new Lease(owner, now, now.plus(length), state),
                            (old, fresh) -> new Lease(owner, old.acquiredAt(), fresh.expiresAt(), state));
        }
    }

    @Override
    public void releaseInstance(Connection connection, String owner) {
        synchronized (database) {
            database.leases().values().removeIf(lease -> lease.owner().equals(owner));
            database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.SENDING && owner.equals(row.lockedBy))
                    .forEach(row -> row.become(EventStatus.PENDING));
        }
    }

    @Override
    public boolean tryLease(Connection connection, String name, String owner, Duration length) {
        synchronized (database) {
            Instant now = database.now();
            Lease lease = database.leases().compute(name, (same, old) -> {
                if (old != null && !old.owner().equals(owner) && old.expiresAt().isAfter(now)) {
                    return old;
                }
                Instant since = old != null && old.owner().equals(owner) ? old.acquiredAt() : now;
                return new Lease(owner, since, now.plus(length), "");
            });
            return lease.owner().equals(owner);
        }
    }

    @Override
    public void releaseLease(Connection connection, String name, String owner) {
        synchronized (database) {
            Lease lease = database.leases().get(name);
            if (lease != null && lease.owner().equals(owner)) {
                database.leases().remove(name);
            }
        }
    }

    // ---- wake-ups

    @Override
    public void notifyCommit(Connection connection) {
        database.listeners().forEach(Runnable::run);
    }

    @Override
    public CommitListener listen(
            DataSource dataSource, NetworkTimeouts network, String name, String deafTo, Runnable onCommit) {
        database.listeners().add(onCommit);
        return () -> database.listeners().remove(onCommit);
    }

    // ---- housekeeping

    @Override
    public Purged purgePublished(Connection connection, Duration olderThan, Purged.Position after, int limit) {
        synchronized (database) {
            Instant before = database.now().minus(olderThan);
            List<MemoryRow> looked = database.rows().values().stream()
                    .filter(row -> row.status == EventStatus.PUBLISHED
                            && row.createdAt.isBefore(before)
                            && isBehind(row, after))
                    .sorted(Comparator.<MemoryRow, Instant>comparing(row -> row.createdAt)
                            .thenComparing(row -> row.id))
                    .limit(limit)
                    .toList();
            List<MemoryRow> old = looked.stream()
                    .filter(row -> row.publishedAt != null && row.publishedAt.isBefore(before))
                    .toList();
            old.forEach(database::delete);
            Purged.Position last = after;
            if (!looked.isEmpty()) {
                MemoryRow end = looked.get(looked.size() - 1);
                last = new Purged.Position(end.createdAt, end.id);
            }
            return new Purged(looked.size(), old.size(), last);
        }
    }

    private static boolean isBehind(MemoryRow row, Purged.Position position) {
        int order = row.createdAt.compareTo(position.createdAt());
        return order > 0 || order == 0 && row.id > position.id();
    }

    @Override
    public @Nullable String note(Connection connection, String name) {
        synchronized (database) {
            return database.notes().get(name);
        }
    }

    @Override
    public void putNote(Connection connection, String name, String text) {
        synchronized (database) {
            database.notes().put(name, text);
        }
    }

    @Override
    public Instant now(Connection connection) {
        return database.now();
    }

    // ---- looking

    @Override
    public String setting(Connection connection, String name) {
        String value = note(connection, name);
        if (value == null) {
            throw new PostriderException("Outbox " + table + " has no setting [" + name + "].");
        }
        return value;
    }

    @Override
    public StatusStore statusStore(Connection connection) {
        return new MemoryStatus(database);
    }

    @Override
    public Backlog backlog(Connection connection, int cap) {
        return new MemoryStatus(database).backlog(connection, cap);
    }
}
