package dev.postrider.internal.store.mysql;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SingleRows;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.StatusStore;
import dev.postrider.internal.store.jdbc.ClaimStatus;
import dev.postrider.internal.store.jdbc.EventInserts;
import dev.postrider.internal.store.jdbc.JdbcSingleRows;
import dev.postrider.internal.store.jdbc.PlainStatements;
import dev.postrider.internal.store.jdbc.SchemaVersion;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.jdbc.Transaction;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A claim-mode outbox on MariaDB 10.6 or MySQL 8.0.19, or newer. Stateless; any thread with its own connection. */
final class MySqlStore implements OutboxStore {
    private static final Logger log = LoggerFactory.getLogger(MySqlStore.class);

    /** Of what is in an index. Said here, because a server that is not strict would cut it off without a word. */
    private static final int LONGEST_NAME = 255;

    /** Of so many destinations followers are looked for at a time. */
    private static final int DESTINATIONS_AT_A_TIME = 50;

    /** In bytes, about. Servers refuse statements that are longer than {@code max_allowed_packet}: 16 MiB, or what is set. */
    private static final int LARGEST_PARAMETER = 1 << 20;

    /** Of what is in memory to be written to a file: so many bytes of events, the others by their ids. */
    private static final long LARGEST_DESCRIPTION = 16L << 20;

    private final OutboxTable table;
    private final MySqlSql sql;
    private final MySqlClaims claims;
    private final EventInserts inserts;
    private final LockSlots requests;
    private final PlainStatements plain;
    private final ClaimStatus claimStatus;
    private final SingleRows singleRows;

    MySqlStore(OutboxTable table, ContentHash hash) {
        this.table = table;
        this.sql = new MySqlSql(table);
        this.claims = new MySqlClaims(sql, hash);
        this.inserts = new EventInserts(sql.insert, hash, Times.IN_UTC);
        this.requests = new LockSlots(table);
        this.plain = new PlainStatements(
                table,
                new PlainStatements.Words(
                        sql.outlook,
                        sql.deathsOfSuspects,
                        sql.renewInstance,
                        sql.releaseLease,
                        sql.setting,
                        sql.putNote,
                        MySqlSql.NOW),
                Times.IN_UTC);
        this.claimStatus = new ClaimStatus(MySqlStatusSql.of(table));
        this.singleRows = new JdbcSingleRows(MySqlSingleSql.of(table));
    }

    @Override
    public void insert(Connection connection, Collection<OutboxEvent> events) throws SQLException {
        events.forEach(MySqlStore::requireFits);
        inserts.insert(connection, events);
    }

    /**
     * One request at a time, since a duplicate entry locks the index around it: of several transactions that have met one
     * none could write anything more. And it is looked for before that, unless the transaction sees what was there when it
     * began. A duplicate undoes the statement only, not the transaction.
     */
    @Override
    public boolean insertOnce(Connection connection, OutboxEvent event) throws SQLException {
        requireFits(event);
        String request = Objects.requireNonNull(event.requestId(), "requestId");
        requests.hold(connection, List.of(request));
        return ids(connection, sql.ofRequest, request).isEmpty()
                && SqlErrors.unlessDuplicate(() -> inserts.insertOne(connection, sql.insert, event)) > 0;
    }

    private static void requireFits(OutboxEvent event) {
        requireFits(event.type(), "type");
        requireFits(event.aggregateType(), "aggregate type");
        requireFits(event.aggregateId(), "aggregate id");
        requireFits(event.requestId(), "request id");
    }

    private static void requireFits(@Nullable String name, String what) {
        if (name != null && name.length() > LONGEST_NAME) {
            throw new PostriderException("The " + what + " of an event has " + name.length() + " characters; on MariaDB"
                    + " and MySQL it may have " + LONGEST_NAME + ".");
        }
    }

    // ---- sessions

    @Override
    public void prepareRelaySession(Connection connection) throws SQLException {
        update(connection, MySqlSql.PREPARE_SESSION, connection.getTransactionIsolation());
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    @Override
    public void restoreSession(Connection connection) throws SQLException {
        update(connection, MySqlSql.RESTORE_SESSION);
        connection.setTransactionIsolation(
                ids(connection, MySqlSql.FORMER_ISOLATION).get(0).intValue());
    }

    @Override
    public void checkOrdering(Connection connection, Ordering ordering) throws SQLException {
        if (ordering == Ordering.NONE) {
            return;
        }
        Map<String, String> settings = variables(connection, MySqlSql.ID_SETTINGS);
        String increment = settings.getOrDefault("auto_increment_increment", "1");
        boolean galera = settings.getOrDefault("wsrep_on", "OFF").equals("ON");
        if (galera || !increment.equals("1")) {
            throw new PostriderException("The order of a key is the order of its ids, and on this server ids are not in"
                    + " the order of time: " + (galera ? "wsrep_on is ON" : "auto_increment_increment is " + increment)
                    + ", as in a cluster with several primaries. Set the relay's ordering to none, or use a server with"
                    + " a single primary.");
        }
    }

    private static Map<String, String> variables(Connection connection, String statement) throws SQLException {
        try (Statement show = connection.createStatement();
                ResultSet row = show.executeQuery(statement)) {
            Map<String, String> variables = new HashMap<>();
            while (row.next()) {
                variables.put(row.getString(1), row.getString(2));
            }
            return variables;
        }
    }

    // ---- claiming

    @Override
    public Claimed claim(Connection connection, ClaimRequest request) throws SQLException {
        return claims.claim(connection, request);
    }

    @Override
    public Outlook outlook(Connection connection) throws SQLException {
        return plain.outlook(connection);
    }

    @Override
    public List<Integer> deathsOfSuspects(Connection connection) throws SQLException {
        return plain.deathsOfSuspects(connection);
    }

    @Override
    public Claimed claimSuspects(Connection connection, ClaimRequest request, int deaths) throws SQLException {
        return claims.claimSuspects(connection, request, deaths);
    }

    // ---- settling

    @Override
    public Set<Long> settle(Connection connection, List<Settlement> settlements, OnPublished onPublished)
            throws SQLException {
        Set<Long> recorded = new HashSet<>();
        List<Settlement.Published> published = only(Settlement.Published.class, settlements);
        if (onPublished == OnPublished.KEEP) {
            recorded.addAll(record(connection, sql.markPublished, "PUBLISHED", published, one -> row(one)));
        } else {
            recorded.addAll(delete(connection, published));
        }
        recorded.addAll(record(
                connection, sql.giveBack, "PENDING", only(Settlement.Returned.class, settlements), one -> row(one)));
        recorded.addAll(record(
                connection,
                sql.markFailed,
                "FAILED",
                only(Settlement.Failed.class, settlements),
                one -> row(one, one.counted() ? 1 : 0, one.delay().toMillis(), one.error())));
        recorded.addAll(record(
                connection,
                sql.markBlocked,
                "BLOCKED",
                only(Settlement.Blocked.class, settlements),
                one -> row(one, one.destination(), one.error())));
        return recorded;
    }

    private static <S extends Settlement> List<S> only(Class<S> kind, List<Settlement> settlements) {
        return settlements.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * One statement, so that a relay that is paused has no row locked, and which may be made again after an error.
     *
     * @param status of what is recorded
     */
    private <S extends Settlement> Collection<Long> record(
            Connection connection,
            String statement,
            String status,
            List<S> outcomes,
            Function<S, List<? extends @Nullable Object>> row)
            throws SQLException {
        List<Long> recorded = new ArrayList<>();
        for (List<S> some : inPackets(outcomes)) {
            String rows = rows(some, row);
            recorded.addAll(
                    update(connection, statement, rows) == some.size()
                            ? idsOf(some)
                            : ids(connection, sql.recorded, rows, status));
        }
        return recorded;
    }

    /** By as many as are smaller than the smallest packet that a server may allow, however long their errors are. */
    private static <S extends Settlement> List<List<S>> inPackets(List<S> outcomes) {
        List<List<S>> packets = new ArrayList<>();
        int length = 0;
        for (S one : outcomes) {
            int own = 150 + 6 * one.error().length();
            if (packets.isEmpty() || length + own > LARGEST_PARAMETER) {
                packets.add(new ArrayList<>());
                length = 0;
            }
            packets.get(packets.size() - 1).add(one);
            length += own;
        }
        return packets;
    }

    private Collection<Long> delete(Connection connection, List<Settlement.Published> published) throws SQLException {
        if (published.isEmpty()) {
            return List.of();
        }
        String rows = rows(published, one -> row(one));
        Set<Long> deleted = new HashSet<>(idsOf(published));
        if (update(connection, sql.deletePublished, rows) != published.size()) {
            ids(connection, sql.stillThere, rows).forEach(deleted::remove);
        }
        return deleted;
    }

    private static List<Long> idsOf(List<? extends Settlement> settlements) {
        return settlements.stream().map(one -> one.claim().id()).toList();
    }

    @Override
    public Set<Long> bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) throws SQLException {
        return bury(connection, dead, holdKeys, true);
    }

    @Override
    public Set<Long> buryWithoutLetter(Connection connection, List<Settlement.Dead> dead, boolean holdKeys)
            throws SQLException {
        return bury(connection, dead, holdKeys, false);
    }

    private Set<Long> bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys, boolean withLetters)
            throws SQLException {
        return Transaction.of(connection, () -> {
            Set<Long> ours = lockSent(connection, dead);
            List<Settlement.Dead> still =
                    dead.stream().filter(one -> ours.contains(one.claim().id())).toList();
            for (List<Settlement.Dead> some : inPackets(still)) {
                String rows = rows(some, one -> row(one, one.errorClass(), one.error()));
                update(connection, sql.markDead, rows, holdKeys);
                if (withLetters) {
                    update(connection, sql.writeLetters, rows);
                }
            }
            return ours;
        });
    }

    /** Those whose row is still as it was when they were claimed; from here on it stays so. */
    private Set<Long> lockSent(Connection connection, List<? extends Settlement> settlements) throws SQLException {
        return new HashSet<>(ids(connection, sql.lockSent, rows(settlements, one -> row(one))));
    }

    /** In the order of ids, so that whoever locks several rows does it in the same order. */
    private static <S extends Settlement> String rows(
            List<? extends S> settlements, Function<S, List<? extends @Nullable Object>> row) {
        List<S> sorted = new ArrayList<>(settlements);
        sorted.sort(Comparator.comparingLong(one -> one.claim().id()));
        return JsonRows.of(sorted, row);
    }

    /** What every settlement begins with, and what is its own. */
    private static List<? extends @Nullable Object> row(Settlement settlement, @Nullable Object... more) {
        List<@Nullable Object> row = new ArrayList<>();
        row.add(settlement.claim().id());
        row.add(settlement.claim().eventId());
        row.add(settlement.claim().version());
        row.addAll(Arrays.asList(more));
        return row;
    }

    @Override
    public SingleRows singly() {
        return singleRows;
    }

    @Override
    public Map<Long, String> describe(Connection connection, List<? extends Settlement> claimed) throws SQLException {
        Set<Long> whole = claims.firstOf(
                connection,
                claimed.stream()
                        .filter(Settlement::mayBeFetched)
                        .map(one -> one.claim().id())
                        .sorted()
                        .toList(),
                LARGEST_DESCRIPTION);
        Map<Long, String> lines = new LinkedHashMap<>();
        try (PreparedStatement describe = connection.prepareStatement(sql.describe)) {
            describe.setString(
                    1, rows(claimed, one -> row(one, whole.contains(one.claim().id()) ? 1 : 0, one.error())));
            try (ResultSet row = describe.executeQuery()) {
                while (row.next()) {
                    lines.put(row.getLong("id"), SavedLine.write(row, Times.IN_UTC));
                }
            }
        }
        return lines;
    }

    // ---- repairs

    @Override
    public HeldKeys releaseHeld(Connection connection, long fromKey, int keys, int limit) throws SQLException {
        List<Long> closed = ids(connection, sql.closedKeys, fromKey, keys);
        long last = closed.isEmpty() ? 0 : closed.get(closed.size() - 1);
        return new HeldKeys(closed.size(), last, releaseHeld(connection, closed, limit));
    }

    @Override
    public int releaseHeld(Connection connection, Collection<Long> keys, int limit) throws SQLException {
        List<Long> open = keys.isEmpty() ? List.of() : ids(connection, sql.closedKeysNowOpen, JsonRows.ofIds(keys));
        if (open.isEmpty()) {
            return 0;
        }
        return Transaction.of(
                connection,
                () -> changeAll(connection, sql.release, ids(connection, sql.lockHeld, JsonRows.ofIds(open), limit)));
    }

    @Override
    public List<String> blockedDestinations(Connection connection, String after, int limit) throws SQLException {
        List<String> destinations = new ArrayList<>();
        String next = nextBlocked(connection, after);
        while (next != null) {
            destinations.add(next);
            next = destinations.size() < limit ? nextBlocked(connection, next) : null;
        }
        return destinations;
    }

    private @Nullable String nextBlocked(Connection connection, String after) throws SQLException {
        try (PreparedStatement look = prepare(connection, sql.nextBlocked, after);
                ResultSet row = look.executeQuery()) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    public int releaseBlocked(Connection connection, String destination, int limit) throws SQLException {
        return releaseBlocked(connection, new ReleasedTo(destination, 0, 0), limit)
                .events();
    }

    private ReleasedTo releaseBlocked(Connection connection, ReleasedTo after, int limit) throws SQLException {
        return Transaction.of(connection, () -> {
            List<Long> ids = ids(connection, sql.lockBlocked, after.destination(), after.id(), limit);
            changeAll(connection, sql.unblock, ids);
            long last = ids.isEmpty() ? after.id() : ids.get(ids.size() - 1);
            return new ReleasedTo(after.destination(), last, ids.size());
        });
    }

    /** One destination after the other. */
    @Override
    public ReleasedTo releaseAnyBlocked(Connection connection, ReleasedTo after, int limit) throws SQLException {
        ReleasedTo released = releaseBlocked(connection, after, limit);
        String next = released.events() > 0 ? null : nextBlocked(connection, after.destination());
        return next == null ? released : releaseBlocked(connection, new ReleasedTo(next, 0, 0), limit);
    }

    /** One destination after the other. */
    @Override
    public ReleasedTo releaseFollowers(Connection connection, ReleasedTo after, int limit) throws SQLException {
        List<Long> leftBehind = new ArrayList<>();
        @Nullable String destination = after.destination();
        long id = after.id();
        int looked = 0;
        // Each destination costs a statement: whoever asks comes again.
        for (int asked = 0; destination != null && looked < limit && asked < DESTINATIONS_AT_A_TIME; asked++) {
            int wanted = limit - looked;
            int before = looked;
            try (PreparedStatement look = prepare(connection, sql.lookAtBlocked, destination, id, wanted);
                    ResultSet row = look.executeQuery()) {
                while (row.next()) {
                    looked++;
                    id = row.getLong("id");
                    if (row.getBoolean("left_behind")) {
                        leftBehind.add(id);
                    }
                }
            }
            if (looked - before < wanted) {
                destination = nextBlocked(connection, destination);
                id = 0;
            }
        }
        int released = leftBehind.isEmpty()
                ? 0
                : Transaction.of(
                        connection,
                        () -> changeAll(
                                connection,
                                sql.unblock,
                                ids(connection, sql.lockFollowers, JsonRows.ofIds(leftBehind))));
        return new ReleasedTo(destination == null ? "" : destination, id, released);
    }

    @Override
    public int recoverStalled(Connection connection, int limit) throws SQLException {
        update(connection, sql.forgetDeadRelays);
        List<Long> stalled = ids(connection, sql.findStalled, limit);
        if (stalled.isEmpty()) {
            return 0;
        }
        return Transaction.of(
                connection,
                () -> changeAll(connection, sql.recover, ids(connection, sql.lockStalled, JsonRows.ofIds(stalled))));
    }

    private static int changeAll(Connection connection, String statement, List<Long> ids) throws SQLException {
        if (!ids.isEmpty()) {
            update(connection, statement, JsonRows.ofIds(ids));
        }
        return ids.size();
    }

    // ---- leases

    @Override
    public void renewInstance(Connection connection, String owner, Duration length, String state) throws SQLException {
        plain.renewInstance(connection, owner, length, state);
    }

    @Override
    public void releaseInstance(Connection connection, String owner) throws SQLException {
        try {
            Transaction.of(connection, () -> {
                update(connection, sql.forgetOwner, owner);
                List<Long> claimed = ids(connection, sql.claimedBy, owner);
                if (!claimed.isEmpty()) {
                    update(connection, sql.putBack, JsonRows.ofIds(claimed), owner);
                }
                return claimed;
            });
        } catch (SQLException e) {
            // The rows that stand under its name come back like those of the dead.
            SqlErrors.requireRowsFault(e);
            update(connection, sql.forgetOwner, owner);
        }
    }

    @Override
    public boolean tryLease(Connection connection, String name, String owner, Duration length) throws SQLException {
        update(connection, sql.tryLease, name, owner, length.toMillis());
        try (PreparedStatement look = prepare(connection, sql.holdsLease, name, owner);
                ResultSet row = look.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Override
    public void releaseLease(Connection connection, String name, String owner) throws SQLException {
        plain.releaseLease(connection, name, owner);
    }

    // ---- wake-ups between processes: there are none here, relays look by themselves

    @Override
    public void notifyCommit(Connection connection) {}

    @Override
    public CommitListener listen(
            DataSource dataSource, NetworkTimeouts network, String name, String deafTo, Runnable onCommit) {
        return () -> {};
    }

    // ---- housekeeping

    @Override
    public Purged purgePublished(Connection connection, Duration olderThan, Purged.Position after, int limit)
            throws SQLException {
        Purged.Position last = after;
        int looked = 0;
        List<Long> old = new ArrayList<>();
        try (PreparedStatement find = connection.prepareStatement(sql.findPurgeable)) {
            find.setLong(1, olderThan.toMillis());
            find.setLong(2, olderThan.toMillis());
            Times.IN_UTC.bind(find, 3, after.createdAt());
            Times.IN_UTC.bind(find, 4, after.createdAt());
            find.setLong(5, after.id());
            find.setInt(6, limit);
            try (ResultSet row = find.executeQuery()) {
                while (row.next()) {
                    looked++;
                    long id = row.getLong("id");
                    Instant createdAt = Times.IN_UTC.findIfATime(row, "created_at");
                    if (createdAt != null) {
                        last = new Purged.Position(createdAt, id);
                    }
                    if (row.getBoolean("old")) {
                        old.add(id);
                    }
                }
            }
        }
        int deleted = purgeOrPass(connection, old);
        // A chunk of nothing but times that are none, and that stay, would be met again and again.
        return new Purged(last.equals(after) && deleted == 0 ? 0 : looked, deleted, last);
    }

    private int purgeOrPass(Connection connection, List<Long> old) throws SQLException {
        int[] deleted = {0};
        for (Halving.Refused<Long> refused : Halving.run(old, some -> deleted[0] += purge(connection, some))) {
            log.warn(
                    "row {} of the outbox cannot be deleted: {}",
                    refused.row(),
                    refused.error().getMessage());
        }
        return deleted[0];
    }

    /** What somebody has locked is left for the next time. */
    private int purge(Connection connection, List<Long> old) throws SQLException {
        return Transaction.of(
                connection,
                () -> changeAll(connection, sql.deleteAll, ids(connection, sql.lockPurgeable, JsonRows.ofIds(old))));
    }

    @Override
    public @Nullable String note(Connection connection, String name) throws SQLException {
        return plain.note(connection, name);
    }

    @Override
    public void putNote(Connection connection, String name, String text) throws SQLException {
        plain.putNote(connection, name, text);
    }

    @Override
    public Instant now(Connection connection) throws SQLException {
        return plain.now(connection);
    }

    // ---- looking

    @Override
    public String setting(Connection connection, String name) throws SQLException {
        return plain.setting(connection, name);
    }

    @Override
    public StatusStore statusStore(Connection connection) throws SQLException {
        SchemaVersion.of(this, connection, table).requireUsable();
        return claimStatus;
    }

    @Override
    public Backlog backlog(Connection connection, int cap) throws SQLException {
        return claimStatus.backlog(connection, cap);
    }

    // ---- statements

    private static List<Long> ids(Connection connection, String statement, Object... parameters) throws SQLException {
        try (PreparedStatement select = prepare(connection, statement, parameters);
                ResultSet row = select.executeQuery()) {
            List<Long> ids = new ArrayList<>();
            while (row.next()) {
                ids.add(row.getLong(1));
            }
            return ids;
        }
    }

    private static int update(Connection connection, String statement, Object... parameters) throws SQLException {
        try (PreparedStatement update = prepare(connection, statement, parameters)) {
            return update.executeUpdate();
        }
    }

    private static PreparedStatement prepare(Connection connection, String statement, Object... parameters)
            throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(statement);
        try {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            return prepared;
        } catch (SQLException | RuntimeException e) {
            prepared.close();
            throw e;
        }
    }
}
