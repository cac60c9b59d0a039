package dev.postrider.internal.store.mysql;

import dev.postrider.Ordering;
import dev.postrider.Split;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.jdbc.EventRows;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.jdbc.Transaction;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims on MariaDB and MySQL: one short transaction under READ COMMITTED, since there is no statement that changes rows
 * and returns them.
 *
 * <ol>
 *   <li>Lock what is due, and skip what others have locked.
 *   <li>Only then look for gates: of each key, the first unfinished event that is not among the locked.
 *   <li>Take the events before the gate of their key, as many as fit; set aside those behind one that failed or is slow.
 * </ol>
 *
 * <p>Why the order per key holds: a locked event had committed, and the look for gates begins after that. Under READ
 * COMMITTED it sees everything that had committed when it began, hence also whatever had committed before the event was
 * written. An earlier event of the key that somebody else has locked is seen as it was before, unfinished. One that was
 * finished in between need not hold back anything. So the look keeps more back than it needs to, never less. Under
 * REPEATABLE READ it would see what had committed when the transaction began, which is before the locks.
 *
 * <p>Stateless; any thread with its own connection.
 */
final class MySqlClaims {
    /** The server reads an event to know its size: at first of so many, then of as many as are likely to fit. */
    private static final int SIZES_AT_FIRST = 50;

    private final MySqlSql sql;
    private final EventRows eventRows;

    MySqlClaims(MySqlSql sql, ContentHash hash) {
        this.sql = sql;
        this.eventRows = new EventRows(hash, Times.IN_UTC);
    }

    /** A row that nobody else can take meanwhile. */
    private record Locked(long id, long keyHash, Instant dueAt) {}

    /** Those to be taken, in order, with their sizes. */
    private record Chosen(Map<Long, Long> sizes, long maxEventBytes) {
        boolean fits(long id) {
            return Objects.requireNonNull(sizes.get(id)) <= maxEventBytes;
        }
    }

    /** An unfinished event that holds back later ones of its key. */
    private record Gate(
            long keyHash,
            long id,
            String status,
            boolean timed,
            boolean slow,
            @Nullable String blockedBy) {
        /** Whether it may take a while. */
        boolean closesItsKey() {
            return switch (status) {
                case "FAILED", "HELD", "BLOCKED", "DEAD_LETTER" -> true;
                case "SENDING" -> slow;
                case "PENDING" -> timed;
                default -> false;
            };
        }
    }

    Claimed claim(Connection connection, ClaimRequest request) throws SQLException {
        return Transaction.of(connection, () -> {
            // In this order: what comes due meanwhile is locked, or awaited, or both.
            Duration next = nextDue(connection);
            long asked = System.nanoTime();
            Claimed claimed = claimLocked(connection, request);
            return claimed.withNext(next == null ? null : next.minusNanos(System.nanoTime() - asked));
        });
    }

    /** From now. */
    private @Nullable Duration nextDue(Connection connection) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(sql.nextDue);
                ResultSet row = look.executeQuery()) {
            return row.next() ? EventRows.secondsOrNull(row, "next_due") : null;
        }
    }

    private Claimed claimLocked(Connection connection, ClaimRequest request) throws SQLException {
        List<Locked> ready = lockReady(connection, request);
        List<Locked> locked = new ArrayList<>(ready);
        locked.addAll(lockDue(connection, request));
        long lowest = ready.isEmpty() ? 0 : ready.get(0).id();
        if (locked.isEmpty()) {
            return new Claimed(List.of(), List.of(), 0, 0, 0);
        }
        if (request.ordering() == Ordering.NONE) {
            locked.sort(Comparator.comparing(Locked::dueAt).thenComparing(Locked::id));
            Chosen chosen = withinLimits(connection, locked, request);
            return take(connection, chosen, request.owner(), 0, chosen.sizes().size(), lowest);
        }
        locked.sort(Comparator.comparing(Locked::id));
        return takeInOrder(connection, locked, request, lowest);
    }

    /**
     * @param locked by id
     */
    private Claimed takeInOrder(Connection connection, List<Locked> locked, ClaimRequest request, long lowest)
            throws SQLException {
        Map<Long, Gate> gates = gates(connection, locked);
        List<Locked> free = new ArrayList<>();
        List<Long> behind = new ArrayList<>();
        Map<Long, String> behindBlocked = new LinkedHashMap<>();
        for (Locked row : locked) {
            Gate gate = gates.get(row.keyHash());
            if (gate == null || row.id() < gate.id()) {
                free.add(row);
            } else if (gate.blockedBy() != null) {
                behindBlocked.put(row.id(), gate.blockedBy());
            } else if (gate.closesItsKey() || request.except().contains(gate.id())) {
                behind.add(row.id());
            }
        }
        if (!behind.isEmpty()) {
            update(connection, sql.markHeld, JsonRows.ofIds(behind));
        }
        if (!behindBlocked.isEmpty()) {
            update(
                    connection,
                    sql.markBehindBlocked,
                    JsonRows.of(behindBlocked.entrySet(), row -> List.of(row.getKey(), row.getValue())));
        }
        Chosen chosen = withinLimits(connection, free, request);
        Set<Long> aside = new HashSet<>(behind);
        aside.addAll(behindBlocked.keySet());
        return take(connection, chosen, request.owner(), aside.size(), locked.size(), lowest)
                .withHeldKeys(locked.stream()
                        .filter(row -> aside.contains(row.id()))
                        .map(Locked::keyHash)
                        .collect(Collectors.toSet()));
    }

    private List<Locked> lockReady(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(sql.lockReady)) {
            lock.setLong(1, request.fromId());
            int next = bindSplit(lock, 2, request.split());
            lock.setInt(next, request.scan() + request.except().size());
            return readLocked(lock, request.scan(), request.except());
        }
    }

    private List<Locked> lockDue(Connection connection, ClaimRequest request) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(sql.lockDue)) {
            int next = bindSplit(lock, 1, request.split());
            lock.setInt(next, request.scanOfDue() + request.except().size());
            return readLocked(lock, request.scanOfDue(), request.except());
        }
    }

    private static int bindSplit(PreparedStatement statement, int first, Split split) throws SQLException {
        int next = first;
        statement.setInt(next++, split.of());
        statement.setInt(next++, split.of());
        statement.setInt(next++, split.of());
        statement.setInt(next++, split.index());
        return next;
    }

    /** Without the rows to be left alone, and so many as if these were not there. */
    private static List<Locked> readLocked(PreparedStatement lock, int most, Set<Long> except) throws SQLException {
        try (ResultSet row = lock.executeQuery()) {
            List<Locked> locked = new ArrayList<>();
            while (row.next() && locked.size() < most) {
                if (except.contains(row.getLong("id"))) {
                    continue;
                }
                locked.add(new Locked(
                        row.getLong("id"), row.getLong("key_hash"), Times.IN_UTC.findOrFirst(row, "due_at")));
            }
            return locked;
        }
    }

    /**
     * By key. Two looks: most keys have one event locked, and those of a key that failed have thousands before them.
     *
     * @param locked by id
     */
    private Map<Long, Gate> gates(Connection connection, List<Locked> locked) throws SQLException {
        Map<Long, List<Locked>> byKey = locked.stream()
                .collect(Collectors.groupingBy(Locked::keyHash, LinkedHashMap::new, Collectors.toList()));
        Map<Long, Gate> gates = new HashMap<>();
        for (Gate first : firstOfKeys(connection, byKey.keySet())) {
            if (first.id()
                    < Objects.requireNonNull(byKey.get(first.keyHash())).get(0).id()) {
                gates.put(first.keyHash(), first);
            }
        }
        List<Long> several = byKey.entrySet().stream()
                .filter(key -> key.getValue().size() > 1 && !gates.containsKey(key.getKey()))
                .map(Map.Entry::getKey)
                .toList();
        Set<Long> lockedIds = locked.stream().map(Locked::id).collect(Collectors.toSet());
        for (int from = 0; from < several.size(); from += MySqlSql.KEYS_AT_A_TIME) {
            List<Long> keys = several.subList(from, Math.min(several.size(), from + MySqlSql.KEYS_AT_A_TIME));
            for (Gate between : gatesBetween(connection, keys, byKey)) {
                if (!lockedIds.contains(between.id())) {
                    gates.merge(between.keyHash(), between, (one, other) -> one.id() < other.id() ? one : other);
                }
            }
        }
        return gates;
    }

    private List<Gate> firstOfKeys(Connection connection, Set<Long> keys) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(sql.firstOfKeys)) {
            look.setString(1, JsonRows.ofIds(keys));
            return readGates(look);
        }
    }

    private List<Gate> gatesBetween(Connection connection, List<Long> keys, Map<Long, List<Locked>> byKey)
            throws SQLException {
        long first = Long.MAX_VALUE;
        long last = 0;
        for (Long key : keys) {
            List<Locked> ofKey = Objects.requireNonNull(byKey.get(key));
            first = Math.min(first, ofKey.get(0).id());
            last = Math.max(last, ofKey.get(ofKey.size() - 1).id());
        }
        try (PreparedStatement look = connection.prepareStatement(sql.gatesBetween)) {
            for (int i = 0; i < MySqlSql.KEYS_AT_A_TIME; i++) {
                look.setLong(i + 1, keys.get(Math.min(i, keys.size() - 1)));
            }
            look.setLong(MySqlSql.KEYS_AT_A_TIME + 1, first);
            look.setLong(MySqlSql.KEYS_AT_A_TIME + 2, last);
            return readGates(look);
        }
    }

    private static List<Gate> readGates(PreparedStatement look) throws SQLException {
        try (ResultSet row = look.executeQuery()) {
            List<Gate> gates = new ArrayList<>();
            while (row.next()) {
                gates.add(new Gate(
                        row.getLong("key_hash"),
                        row.getLong("id"),
                        row.getString("status"),
                        row.getBoolean("timed"),
                        row.getBoolean("slow"),
                        row.getString("blocked_by")));
            }
            return gates;
        }
    }

    private Chosen withinLimits(Connection connection, List<Locked> candidates, ClaimRequest request)
            throws SQLException {
        List<Long> ids =
                candidates.stream().limit(request.maxEvents()).map(Locked::id).toList();
        return new Chosen(
                withinLimits(connection, ids, request.maxBytes(), request.maxEventBytes()), request.maxEventBytes());
    }

    /** The first of them that together have no more bytes than that. */
    Set<Long> firstOf(Connection connection, List<Long> ids, long maxBytes) throws SQLException {
        Map<Long, Long> sizes = withinLimits(connection, ids, maxBytes, Long.MAX_VALUE);
        return sizes.values().stream().mapToLong(Long::longValue).sum() <= maxBytes ? sizes.keySet() : Set.of();
    }

    /** The first of them, with their sizes; at least one. What is larger than the limit of one event counts nothing. */
    private Map<Long, Long> withinLimits(Connection connection, List<Long> ids, long maxBytes, long maxEventBytes)
            throws SQLException {
        Map<Long, Long> chosen = new LinkedHashMap<>();
        long bytes = 0;
        long looked = 0;
        long next = SIZES_AT_FIRST;
        while (chosen.size() < ids.size()) {
            int to = (int) Math.min(ids.size(), chosen.size() + next);
            List<Long> some = ids.subList(chosen.size(), to);
            Map<Long, Long> sizes = sizes(connection, some);
            for (Long id : some) {
                long size = sizes.getOrDefault(id, 0L);
                long fetched = size <= maxEventBytes ? size : 0;
                if (bytes > 0 && bytes + fetched > maxBytes) {
                    return chosen;
                }
                chosen.put(id, size);
                bytes += fetched;
                looked += size;
            }
            long average = Math.max(1, looked / chosen.size());
            next = Math.max(SIZES_AT_FIRST, (maxBytes - bytes) / average);
        }
        return chosen;
    }

    private Map<Long, Long> sizes(Connection connection, List<Long> ids) throws SQLException {
        try (PreparedStatement look = connection.prepareStatement(sql.sizes)) {
            look.setString(1, JsonRows.ofIds(ids));
            try (ResultSet row = look.executeQuery()) {
                Map<Long, Long> sizes = new HashMap<>();
                while (row.next()) {
                    sizes.put(row.getLong("id"), row.getLong("size"));
                }
                return sizes;
            }
        }
    }

    /** Of events that so many relays have died with. */
    Claimed claimSuspects(Connection connection, ClaimRequest request, int deaths) throws SQLException {
        return Transaction.of(connection, () -> {
            List<Locked> suspects = lockSuspects(connection, request, deaths);
            return suspects.isEmpty()
                    ? new Claimed(List.of(), List.of(), 0, 0, 0)
                    : takeInOrder(connection, suspects, request, 0);
        });
    }

    private List<Locked> lockSuspects(Connection connection, ClaimRequest request, int deaths) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(sql.lockSuspects)) {
            lock.setInt(1, deaths);
            int next = bindSplit(lock, 2, request.split());
            lock.setInt(next, request.scan() + request.except().size());
            return readLocked(lock, request.scan(), request.except());
        }
    }

    private Claimed take(Connection connection, Chosen chosen, String owner, int held, int seen, long lowest)
            throws SQLException {
        Set<Long> ids = chosen.sizes().keySet();
        if (ids.isEmpty()) {
            return new Claimed(List.of(), List.of(), held, seen, lowest);
        }
        update(connection, sql.markSending, JsonRows.ofIds(ids), owner);
        Map<Long, LogStore.Row> rows = read(connection, chosen);
        List<StoredEvent> events = new ArrayList<>();
        List<Settlement.Dead> unsendable = new ArrayList<>();
        for (Long id : ids) {
            LogStore.Row row = rows.get(id);
            if (row != null && row.event() != null) {
                events.add(row.event());
            } else if (row != null && row.unsendable() != null) {
                unsendable.add(row.unsendable());
            }
        }
        return new Claimed(events, unsendable, held, seen, lowest);
    }

    private Map<Long, LogStore.Row> read(Connection connection, Chosen chosen) throws SQLException {
        try (PreparedStatement read = connection.prepareStatement(sql.readClaimed)) {
            read.setString(
                    1,
                    JsonRows.of(
                            chosen.sizes().entrySet(),
                            row -> List.of(row.getKey(), row.getValue(), chosen.fits(row.getKey()) ? 1 : 0)));
            try (ResultSet row = read.executeQuery()) {
                long now = System.nanoTime();
                Map<Long, LogStore.Row> rows = new HashMap<>();
                while (row.next()) {
                    rows.put(row.getLong("id"), eventRows.read(row, now, false, chosen.maxEventBytes()));
                }
                return rows;
            }
        }
    }

    private static void update(Connection connection, String statement, @Nullable String... parameters)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setString(i + 1, parameters[i]);
            }
            update.executeUpdate();
        }
    }
}
