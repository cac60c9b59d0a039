package dev.postrider.internal.store.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.Split;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SingleRows;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.StatusStore;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.jdbc.ClaimStatus;
import dev.postrider.internal.store.jdbc.EventInserts;
import dev.postrider.internal.store.jdbc.EventRows;
import dev.postrider.internal.store.jdbc.JdbcSingleRows;
import dev.postrider.internal.store.jdbc.PlainStatements;
import dev.postrider.internal.store.jdbc.SchemaVersion;
import dev.postrider.internal.store.jdbc.StoredLayout;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.jdbc.Transaction;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Array;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A claim-mode outbox on PostgreSQL 13 or newer. Stateless; any thread with its own connection. */
public final class PostgresStore implements OutboxStore {
    /** What an index takes, with something to spare. */
    private static final int LONGEST_AGGREGATE_ID = 2500;

    private final PostgresSql sql;
    private final OutboxTable table;
    private final ContentHash hash;
    private final EventRows eventRows;
    private final EventInserts inserts;
    private final PlainStatements plain;
    private final ClaimStatus claimStatus;
    private final SingleRows singleRows;

    public PostgresStore(OutboxTable table, ContentHash hash) {
        this.table = table;
        this.hash = hash;
        this.eventRows = new EventRows(hash, Times.ABSOLUTE);
        this.sql = new PostgresSql(table);
        this.inserts = new EventInserts(sql.insert, hash, Times.ABSOLUTE);
        this.plain = new PlainStatements(
                table,
                new PlainStatements.Words(
                        sql.outlook,
                        sql.deathsOfSuspects,
                        sql.renewInstance,
                        sql.releaseLease,
                        sql.setting,
                        sql.putNote,
                        PostgresSql.NOW),
                Times.ABSOLUTE);
        this.claimStatus = new ClaimStatus(new PostgresStatusSql(table).ofClaims());
        this.singleRows = new JdbcSingleRows(PostgresSingleSql.of(table));
    }

    @Override
    public void insert(Connection connection, Collection<OutboxEvent> events) throws SQLException {
        events.forEach(PostgresStore::requireFits);
        inserts.insert(connection, events);
    }

    @Override
    public boolean insertOnce(Connection connection, OutboxEvent event) throws SQLException {
        requireFits(event);
        return inserts.insertOne(connection, sql.insertOnce, event) > 0;
    }

    /** The database would refuse it too, but by an error that spoils the caller's transaction. */
    private static void requireFits(OutboxEvent event) {
        int bytes = event.aggregateId().getBytes(UTF_8).length;
        if (bytes > LONGEST_AGGREGATE_ID) {
            throw new PostriderException("The aggregate id of an event has " + bytes + " bytes; it may have "
                    + LONGEST_AGGREGATE_ID + ". Nothing was written.");
        }
    }

    @Override
    public void prepareRelaySession(Connection connection) throws SQLException {
        execute(connection, PostgresSql.PREPARE_SESSION);
    }

    @Override
    public void restoreSession(Connection connection) throws SQLException {
        execute(connection, PostgresSql.RESTORE_SESSION);
    }

    private static void execute(Connection connection, String statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }

    /** Ids come from one sequence, which a log-mode relay and doctor look at. */
    @Override
    public void checkOrdering(Connection connection, Ordering ordering) {}

    @Override
    public Claimed claim(Connection connection, ClaimRequest request) throws SQLException {
        boolean byKey = request.ordering() == Ordering.KEY;
        try (PreparedStatement claim = connection.prepareStatement(byKey ? sql.claimByKey : sql.claimByDueTime)) {
            Array except = connection.createArrayOf("bigint", request.except().toArray());
            claim.setLong(1, request.fromId());
            int next = bindSplit(claim, 2, request.split());
            claim.setArray(next++, except);
            claim.setInt(next++, request.scan());
            next = bindSplit(claim, next, request.split());
            claim.setArray(next++, except);
            claim.setInt(next++, request.scanOfDue());
            bindLimits(claim, next, request, byKey ? except : null);
            return readClaimed(claim, byKey, request.maxEventBytes());
        }
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
        try (PreparedStatement claim = connection.prepareStatement(sql.claimSuspects)) {
            claim.setInt(1, deaths);
            int next = bindSplit(claim, 2, request.split());
            claim.setArray(
                    next++, connection.createArrayOf("bigint", request.except().toArray()));
            claim.setInt(next++, request.scan());
            bindLimits(claim, next, request, null);
            return readClaimed(claim, true, request.maxEventBytes());
        }
    }

    private static int bindSplit(PreparedStatement claim, int first, Split split) throws SQLException {
        int next = first;
        claim.setInt(next++, split.of());
        claim.setInt(next++, split.of());
        claim.setInt(next++, split.of());
        claim.setInt(next++, split.index());
        return next;
    }

    /**
     * How much is taken, and by whom.
     *
     * @param gates rows that hold back their keys though they cannot be changed; null if the statement does not ask
     */
    private static void bindLimits(PreparedStatement claim, int first, ClaimRequest request, @Nullable Array gates)
            throws SQLException {
        int next = first;
        claim.setLong(next++, request.maxEventBytes());
        claim.setLong(next++, request.maxEventBytes());
        claim.setInt(next++, request.maxEvents());
        claim.setLong(next++, request.maxBytes());
        claim.setLong(next++, request.maxEventBytes());
        claim.setLong(next++, request.maxBytes());
        if (gates != null) {
            claim.setArray(next++, gates);
        }
        claim.setString(next++, request.owner());
        claim.setLong(next, request.maxEventBytes());
    }

    private Claimed readClaimed(PreparedStatement claim, boolean sortById, long maxEventBytes) throws SQLException {
        List<StoredEvent> events = new ArrayList<>();
        List<Settlement.Dead> unsendable = new ArrayList<>();
        int held = 0;
        int seen = 0;
        long lowest = 0;
        Set<Long> heldKeys = new HashSet<>();
        Duration next = null;
        try (ResultSet rows = claim.executeQuery()) {
            long now = System.nanoTime();
            while (rows.next()) {
                held = rows.getInt("held_count");
                Array keys = rows.getArray("held_keys");
                if (keys != null) {
                    heldKeys.addAll(Arrays.asList((Long[]) keys.getArray()));
                }
                seen = rows.getInt("locked_count");
                lowest = rows.getLong("lowest_id");
                next = EventRows.secondsOrNull(rows, "next_due");
                if (rows.getObject("id") != null) {
                    LogStore.Row row = eventRows.read(rows, now, false, maxEventBytes);
                    if (row.event() != null) {
                        events.add(row.event());
                    } else if (row.unsendable() != null) {
                        unsendable.add(row.unsendable());
                    }
                }
            }
        }
        if (sortById) {
            events.sort(Comparator.comparingLong(stored -> stored.claim().id()));
        }
        return new Claimed(events, unsendable, held, seen, lowest)
                .withHeldKeys(heldKeys)
                .withNext(next);
    }

    @Override
    public Set<Long> settle(Connection connection, List<Settlement> settlements, OnPublished onPublished)
            throws SQLException {
        boolean oneKind = settlements.stream().map(Object::getClass).distinct().count() == 1;
        if (oneKind) {
            return settleEachKind(connection, settlements, onPublished);
        }
        // Together or not at all, so that after an error the same call can be made again.
        return Transaction.of(connection, () -> settleEachKind(connection, settlements, onPublished));
    }

    private Set<Long> settleEachKind(Connection connection, List<Settlement> settlements, OnPublished onPublished)
            throws SQLException {
        Set<Long> recorded = new HashSet<>();
        List<Settlement.Published> published = only(Settlement.Published.class, settlements);
        if (!published.isEmpty()) {
            String statement = onPublished == OnPublished.KEEP ? sql.markPublished : sql.deletePublished;
            record(
                    connection,
                    statement,
                    recorded,
                    ids(published),
                    eventIds(published),
                    versions(published),
                    ids(published));
        }
        List<Settlement.Returned> returned = only(Settlement.Returned.class, settlements);
        if (!returned.isEmpty()) {
            record(
                    connection,
                    sql.giveBack,
                    recorded,
                    ids(returned),
                    eventIds(returned),
                    versions(returned),
                    ids(returned));
        }
        List<Settlement.Failed> failed = only(Settlement.Failed.class, settlements);
        if (!failed.isEmpty()) {
            record(
                    connection,
                    sql.markFailed,
                    recorded,
                    ids(failed),
                    eventIds(failed),
                    versions(failed),
                    Columns.column("integer", failed, f -> f.counted() ? 1 : 0),
                    Columns.column("bigint", failed, f -> f.delay().toMillis()),
                    Columns.column("text", failed, Settlement.Failed::error),
                    ids(failed));
        }
        List<Settlement.Blocked> blocked = only(Settlement.Blocked.class, settlements);
        if (!blocked.isEmpty()) {
            record(
                    connection,
                    sql.markBlocked,
                    recorded,
                    ids(blocked),
                    eventIds(blocked),
                    versions(blocked),
                    Columns.column("text", blocked, Settlement.Blocked::destination),
                    Columns.column("text", blocked, Settlement.Blocked::error),
                    ids(blocked));
        }
        return recorded;
    }

    @Override
    public Set<Long> bury(Connection connection, List<Settlement.Dead> dead, boolean holdKeys) throws SQLException {
        return bury(connection, sql.markDead, dead, holdKeys);
    }

    @Override
    public Set<Long> buryWithoutLetter(Connection connection, List<Settlement.Dead> dead, boolean holdKeys)
            throws SQLException {
        return bury(connection, sql.markDeadWithoutLetter, dead, holdKeys);
    }

    private static Set<Long> bury(Connection connection, String statement, List<Settlement.Dead> dead, boolean holdKeys)
            throws SQLException {
        Set<Long> recorded = new HashSet<>();
        record(
                connection,
                statement,
                recorded,
                holdKeys,
                ids(dead),
                eventIds(dead),
                versions(dead),
                Columns.column("text", dead, Settlement.Dead::errorClass),
                Columns.column("text", dead, Settlement.Dead::error),
                ids(dead));
        return recorded;
    }

    @Override
    public SingleRows singly() {
        return singleRows;
    }

    @Override
    public Map<Long, String> describe(Connection connection, List<? extends Settlement> claimed) throws SQLException {
        Map<Long, String> rows = new LinkedHashMap<>();
        try (PreparedStatement describe = connection.prepareStatement(sql.describe)) {
            Columns.bind(
                    describe,
                    ids(claimed),
                    eventIds(claimed),
                    versions(claimed),
                    Columns.column("boolean", claimed, Settlement::mayBeFetched),
                    Columns.column("text", claimed, Settlement::error),
                    ids(claimed));
            try (ResultSet row = describe.executeQuery()) {
                while (row.next()) {
                    rows.put(row.getLong(1), row.getString(2));
                }
            }
        }
        return rows;
    }

    private static <S extends Settlement> List<S> only(Class<S> kind, List<Settlement> settlements) {
        return settlements.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static Columns.Column ids(List<? extends Settlement> of) {
        return Columns.column("bigint", of, s -> s.claim().id());
    }

    private static Columns.Column eventIds(List<? extends Settlement> of) {
        return Columns.column("uuid", of, s -> s.claim().eventId());
    }

    private static Columns.Column versions(List<? extends Settlement> of) {
        return Columns.column("integer", of, s -> s.claim().version());
    }

    private static void record(Connection connection, String statement, Set<Long> recorded, Object... parameters)
            throws SQLException {
        try (PreparedStatement settle = connection.prepareStatement(statement)) {
            Columns.bind(settle, parameters);
            try (ResultSet rows = settle.executeQuery()) {
                while (rows.next()) {
                    recorded.add(rows.getLong(1));
                }
            }
        }
    }

    @Override
    public HeldKeys releaseHeld(Connection connection, long fromKey, int keys, int limit) throws SQLException {
        return releaseHeld(connection, sql.releaseHeldFrom, fromKey, keys, limit, limit);
    }

    @Override
    public int releaseHeld(Connection connection, Collection<Long> keys, int limit) throws SQLException {
        return releaseHeld(connection, sql.releaseHeldOf, Columns.longs(keys), limit, limit)
                .events();
    }

    private static HeldKeys releaseHeld(Connection connection, String statement, Object... parameters)
            throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(statement)) {
            Columns.bind(release, parameters);
            try (ResultSet row = release.executeQuery()) {
                row.next();
                return new HeldKeys(row.getInt("looked"), row.getLong("last_key"), row.getInt("events"));
            }
        }
    }

    @Override
    public List<String> blockedDestinations(Connection connection, String after, int limit) throws SQLException {
        List<String> destinations = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql.blockedDestinations)) {
            Columns.bind(select, after, limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    destinations.add(row.getString(1));
                }
            }
        }
        return destinations;
    }

    @Override
    public int releaseBlocked(Connection connection, String destination, int limit) throws SQLException {
        return update(connection, sql.releaseBlocked, destination, limit);
    }

    @Override
    public ReleasedTo releaseAnyBlocked(Connection connection, ReleasedTo after, int limit) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(sql.releaseAnyBlocked)) {
            Columns.bind(release, after.destination(), after.id(), limit);
            try (ResultSet row = release.executeQuery()) {
                return row.next()
                        ? new ReleasedTo(row.getString("blocked_by"), row.getLong("id"), row.getInt("events"))
                        : new ReleasedTo(after.destination(), after.id(), 0);
            }
        }
    }

    @Override
    public ReleasedTo releaseFollowers(Connection connection, ReleasedTo after, int limit) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(sql.releaseFollowers)) {
            Columns.bind(release, after.destination(), after.id(), limit);
            try (ResultSet row = release.executeQuery()) {
                if (!row.next()) {
                    return ReleasedTo.START;
                }
                int events = row.getInt("events");
                return row.getInt("looked") < limit
                        ? new ReleasedTo("", 0, events)
                        : new ReleasedTo(row.getString("blocked_by"), row.getLong("id"), events);
            }
        }
    }

    @Override
    public void renewInstance(Connection connection, String owner, Duration length, String state) throws SQLException {
        plain.renewInstance(connection, owner, length, state);
    }

    @Override
    public void releaseInstance(Connection connection, String owner) throws SQLException {
        try {
            update(connection, sql.releaseInstance, owner, owner);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            update(connection, sql.forgetOwner, owner);
        }
    }

    @Override
    public int recoverStalled(Connection connection, int limit) throws SQLException {
        return update(connection, sql.recoverStalled, limit);
    }

    private static int update(Connection connection, String statement, Object... parameters) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            Columns.bind(update, parameters);
            return update.executeUpdate();
        }
    }

    @Override
    public void notifyCommit(Connection connection) throws SQLException {
        try (PreparedStatement notify = connection.prepareStatement(PostgresSql.NOTIFY)) {
            notify.setString(1, table.channel());
            notify.execute();
        }
    }

    @Override
    public CommitListener listen(
            DataSource dataSource, NetworkTimeouts network, String name, String deafTo, Runnable onCommit) {
        return PostgresCommitListener.start(
                dataSource, network, new PostgresCommitListener.Channel(table.channel(), deafTo), name, onCommit);
    }

    @Override
    public boolean tryLease(Connection connection, String name, String owner, Duration length) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(sql.tryLease)) {
            take.setString(1, name);
            take.setString(2, owner);
            take.setLong(3, length.toMillis());
            return take.executeUpdate() == 1;
        }
    }

    @Override
    public void releaseLease(Connection connection, String name, String owner) throws SQLException {
        plain.releaseLease(connection, name, owner);
    }

    @Override
    public Purged purgePublished(Connection connection, Duration olderThan, Purged.Position after, int limit)
            throws SQLException {
        return Purging.run(
                limit,
                some -> purge(connection, sql.purgePublished, olderThan, after, some),
                some -> purge(connection, sql.passPublished, olderThan, after, some));
    }

    private static Purged purge(
            Connection connection, String statement, Duration olderThan, Purged.Position after, int limit)
            throws SQLException {
        try (PreparedStatement purge = connection.prepareStatement(statement)) {
            purge.setLong(1, olderThan.toMillis());
            Times.ABSOLUTE.bind(purge, 2, after.createdAt());
            purge.setLong(3, after.id());
            purge.setInt(4, limit);
            purge.setLong(5, olderThan.toMillis());
            try (ResultSet row = purge.executeQuery()) {
                row.next();
                Instant last = Times.ABSOLUTE.find(row, "created_at");
                return new Purged(
                        row.getInt("looked"),
                        row.getInt("deleted"),
                        last == null ? after : new Purged.Position(last, row.getLong("id")));
            }
        }
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

    @Override
    public String setting(Connection connection, String name) throws SQLException {
        return plain.setting(connection, name);
    }

    @Override
    public StatusStore statusStore(Connection connection) throws SQLException {
        SchemaVersion.of(this, connection, table).requireUsable();
        OutboxLayout layout = StoredLayout.read(this, connection, table);
        return layout.mode() == OutboxMode.LOG
                ? new PostgresLogStatus(table, layout, new PostgresLogStore(table, layout.shards(), hash))
                : claimStatus;
    }

    @Override
    public Backlog backlog(Connection connection, int cap) throws SQLException {
        return claimStatus.backlog(connection, cap);
    }
}
