package dev.postrider.internal.store.postgres;

import static dev.postrider.internal.store.postgres.Columns.bind;
import static dev.postrider.internal.store.postgres.Columns.column;
import static dev.postrider.internal.store.postgres.Columns.integers;
import static dev.postrider.internal.store.postgres.Columns.longs;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.Purged;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.jdbc.EventRows;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.jdbc.Transaction;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.Position;
import dev.postrider.internal.write.ContentHash;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A log-mode outbox on PostgreSQL 13 or newer. Stateless; any thread with its own connection. */
public final class PostgresLogStore implements LogStore {
    private static final String UNIQUE_VIOLATION = "23505";
    private static final long NOTHING = 0;

    private final OutboxTable table;
    private final int shards;
    private final PostgresLogSql sql;
    private final EventRows eventRows;

    public PostgresLogStore(OutboxTable table, int shards, ContentHash hash) {
        this.table = table;
        this.shards = shards;
        this.sql = new PostgresLogSql(table, shards);
        this.eventRows = new EventRows(hash, Times.ABSOLUTE);
    }

    @Override
    public int shards() {
        return shards;
    }

    @Override
    public void prepareSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(PostgresLogSql.PREPARE_SESSION);
        }
    }

    @Override
    public Cluster cluster(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(PostgresLogSql.CLUSTER);
                ResultSet row = select.executeQuery()) {
            row.next();
            return readCluster(row);
        }
    }

    private static Cluster readCluster(ResultSet row) throws SQLException {
        return new Cluster(row.getLong("system_id"), row.getInt("timeline"));
    }

    @Override
    public void check(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.sequence);
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw noSequence();
            }
            checkSequence(row);
        }
        try (PreparedStatement select = connection.prepareStatement(sql.newestRow);
                ResultSet row = select.executeQuery()) {
            if (row.next() && row.getBoolean("foreign_tx")) {
                throw new PostriderException("The newest event of outbox " + table + " is of transaction "
                        + row.getString("tx_id") + ", which this database cluster has not reached: its rows come from"
                        + " another cluster, as after a dump and restore. Run 'postrider adopt --after restore' with"
                        + " all relays stopped.");
            }
        }
        try (PreparedStatement select = connection.prepareStatement(sql.foreignCursor);
                ResultSet row = select.executeQuery()) {
            if (row.next()) {
                throw new PostriderException("The database cluster of outbox " + table + " is not the one that was"
                        + " read before: its system identifier is " + row.getLong("here") + ", that of the cursor of"
                        + " shard " + row.getInt("shard") + " is " + row.getLong("system_id") + ", as after a dump and"
                        + " restore or pg_upgrade. Nothing is delivered until, with all relays stopped, you have run"
                        + " 'postrider adopt --after restore' or 'postrider adopt --after upgrade'.");
            }
        }
    }

    private PostriderException noSequence() {
        return new PostriderException("The column id of outbox " + table
                + " draws from no sequence of its own; log mode needs the identity column that 'postrider"
                + " migrate' creates.");
    }

    private void checkSequence(ResultSet row) throws SQLException {
        String name = row.getString("name");
        if (row.getLong("cache") > 1) {
            throw refusedSequence(name, "has CACHE " + row.getLong("cache"), "alter sequence " + name + " cache 1");
        }
        if (row.getLong("increment") <= 0) {
            throw refusedSequence(
                    name, "counts by " + row.getLong("increment"), "alter sequence " + name + " increment by 1");
        }
        if (row.getBoolean("cycle")) {
            throw refusedSequence(name, "has CYCLE", "alter sequence " + name + " no cycle");
        }
    }

    private PostriderException refusedSequence(String name, String why, String fix) {
        return new PostriderException("The sequence " + name + " of outbox " + table + " " + why
                + ": ids would not be drawn in order, and neither would events be delivered in order. Run: " + fix
                + ";");
    }

    @Override
    public @Nullable Cursor cursor(Connection connection, int shard) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.cursor)) {
            select.setInt(1, shard);
            return readCursor(select);
        }
    }

    @Override
    public @Nullable Cursor cursorOfBatch(Connection connection, int shard, long batch) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.cursorOfBatch)) {
            select.setInt(1, shard);
            select.setLong(2, batch);
            return readCursor(select);
        }
    }

    @Override
    public @Nullable Cursor fence(Connection connection, int shard, String owner, Cluster cluster, Floor floor)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql.fence)) {
            bind(insert, floor.sequence(), floor.lastId(), owner, cluster.systemId(), cluster.timeline(), shard);
            return readCursor(insert);
        }
    }

    private static @Nullable Cursor readCursor(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return !row.next()
                    ? null
                    : new Cursor(
                            row.getInt("shard"),
                            row.getLong("seq"),
                            new Position(row.getString("lo"), row.getString("hi"), row.getLong("last_id")),
                            new Floor(row.getLong("sequence"), row.getLong("floor")),
                            row.getLong("batch"),
                            row.getString("owner"),
                            readCluster(row));
        }
    }

    @Override
    public List<Mark> marks(Connection connection, Collection<Long> below) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.marks)) {
            bind(select, column("xid8", below, String::valueOf));
            try (ResultSet row = select.executeQuery()) {
                List<Mark> marks = new ArrayList<>();
                while (row.next()) {
                    marks.add(new Mark(Long.parseLong(row.getString("tx_id")), row.getLong("floor")));
                }
                return marks;
            }
        }
    }

    @Override
    public long mark(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(PostgresLogSql.MARK);
                ResultSet row = select.executeQuery()) {
            row.next();
            return Long.parseLong(row.getString(1));
        }
    }

    @Override
    public List<Long> renumberParked(Connection connection, int shard, Floor end) throws SQLException {
        try {
            return renumber(connection, sql.renumberParked, shard, shard, end.lastId());
        } catch (SQLException e) {
            if (!SqlErrors.isRefusal(e) || SqlErrors.isDuplicate(e)) {
                throw e;
            }
            return renumber(connection, sql.renumberWithoutLetters, shard, end.lastId());
        }
    }

    private List<Long> renumber(Connection connection, String statement, Object... values) throws SQLException {
        return Transaction.of(connection, () -> {
            try (PreparedStatement lock = connection.prepareStatement(sql.oneRenumbers);
                    PreparedStatement renumber = connection.prepareStatement(statement)) {
                lock.execute();
                bind(renumber, values);
                try (ResultSet row = renumber.executeQuery()) {
                    List<Long> lost = new ArrayList<>();
                    while (row.next()) {
                        lost.add(row.getLong(1));
                    }
                    return lost;
                }
            }
        });
    }

    @Override
    public List<Hold> holds(Connection connection, int shard) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.holds)) {
            select.setInt(1, shard);
            try (ResultSet row = select.executeQuery()) {
                List<Hold> holds = new ArrayList<>();
                while (row.next()) {
                    holds.add(new Hold(
                            row.getLong("key_hash"),
                            row.getInt("events"),
                            row.getBoolean("abandoned"),
                            row.getBoolean("sendable"),
                            row.getLong("blocked_at")));
                }
                return holds;
            }
        }
    }

    @Override
    public Head head(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.head);
                ResultSet row = select.executeQuery()) {
            if (!row.next()) {
                throw noSequence();
            }
            return new Head(
                    row.getString("snapshot"),
                    new Floor(row.getLong("sequence"), row.getLong("last_id")),
                    new Server(row.getString("started_at"), row.getInt("timeline")));
        }
    }

    /**
     * However large events are, no more than the allowed bytes and one event come over at a time: a page of events that are
     * small enough for all of them to fit ends before the first that is not, and those that begin with such an event are
     * read in a way that adds up their bytes.
     */
    @Override
    public Map<Integer, Page> read(Connection connection, List<PageRequest> requests, int maxEvents, Bytes limits)
            throws SQLException {
        try {
            return readTogether(connection, requests, maxEvents, limits);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            Map<Integer, Page> pages = new HashMap<>();
            // No more than all together might have.
            Bytes share = new Bytes(limits.all() / requests.size(), limits.event());
            for (PageRequest request : requests) {
                pages.putAll(readAlone(connection, request, maxEvents, share));
            }
            return pages;
        }
    }

    /** If one of the rows cannot be read, fewer of them; if it is the first, that one as it can be buried. */
    private Map<Integer, Page> readAlone(Connection connection, PageRequest request, int maxEvents, Bytes limits)
            throws SQLException {
        try {
            return readTogether(connection, List.of(request), maxEvents, limits);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return maxEvents > 1
                    ? readAlone(connection, request, maxEvents / 2, limits)
                    : Map.of(request.shard(), readFirstAsUnreadable(connection, request, e));
        }
    }

    private Page readFirstAsUnreadable(Connection connection, PageRequest request, SQLException error)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.readFirst)) {
            bindPages(select, List.of(request), 1);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new Page(List.of(EventRows.unreadable(row, error)), false) : Page.EMPTY;
            }
        }
    }

    private Map<Integer, Page> readTogether(
            Connection connection, List<PageRequest> requests, int maxEvents, Bytes limits) throws SQLException {
        long small = Math.min(limits.event(), limits.all() / ((long) maxEvents * requests.size()));
        Map<Integer, Page> pages = new HashMap<>();
        List<PageRequest> beginLarge = new ArrayList<>();
        long bytes = 0;
        Map<Integer, ReadPage> read = read(connection, sql.read, requests, maxEvents, limits.event(), small);
        for (PageRequest request : requests) {
            ReadPage page = read.get(request.shard());
            if (page != null && page.beginsLarge()) {
                beginLarge.add(request);
            } else if (page != null) {
                pages.put(request.shard(), page.untilTheFirstLarge(maxEvents));
                bytes += page.bytes;
            }
        }
        if (!beginLarge.isEmpty()) {
            long left = Math.max(0, limits.all() - bytes);
            Map<Integer, ReadPage> large =
                    read(connection, sql.readLarge, beginLarge, maxEvents, limits.event(), left, limits.event());
            for (PageRequest request : beginLarge) {
                ReadPage page = large.get(request.shard());
                pages.put(request.shard(), page == null ? Page.LATER : page.asFarAsItFits(maxEvents));
            }
        }
        return pages;
    }

    /**
     * @param bytes what the statement wants to know of them
     */
    private Map<Integer, ReadPage> read(
            Connection connection,
            String statement,
            List<PageRequest> requests,
            int maxEvents,
            long maxEventBytes,
            Long... bytes)
            throws SQLException {
        Map<Integer, ReadPage> pages = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            bindPages(select, requests, maxEvents, bytes);
            try (ResultSet row = select.executeQuery()) {
                long now = System.nanoTime();
                while (row.next()) {
                    pages.computeIfAbsent(row.getInt("shard"), shard -> new ReadPage())
                            .add(row, now, maxEventBytes);
                }
            }
        }
        return pages;
    }

    static void bindPages(PreparedStatement read, List<PageRequest> requests, int maxEvents, Long... bytes)
            throws SQLException {
        List<@Nullable Object> parameters = new ArrayList<>(List.of(bytes));
        parameters.addAll(List.of(
                column("bigint", requests, request -> (long) request.shard()),
                column("bigint", requests, PageRequest::afterId),
                column("pg_snapshot", requests, PageRequest::lo),
                column("xid8", requests, request -> request.lo().split(":")[1]),
                column("pg_snapshot", requests, PageRequest::hi),
                column("xid8", requests, request -> request.hi().split(":")[0]),
                maxEvents));
        bind(read, parameters.toArray());
    }

    /** A page as it comes, row by row. Its order is not relied on before all are there. */
    private final class ReadPage {
        private final List<Row> rows = new ArrayList<>();
        private long bytes;
        private long firstLarge = Long.MAX_VALUE;
        private int found;

        void add(ResultSet row, long now, long maxEventBytes) throws SQLException {
            if (row.getBoolean("large")) {
                firstLarge = Math.min(firstLarge, row.getLong("id"));
            } else {
                rows.add(eventRows.read(row, now, row.getBoolean("scheduled"), maxEventBytes));
                bytes += row.getLong("size");
                found = row.getInt("found");
            }
        }

        boolean beginsLarge() {
            return rows.stream().noneMatch(row -> row.id() < firstLarge);
        }

        Page untilTheFirstLarge(int maxEvents) {
            boolean complete = firstLarge == Long.MAX_VALUE && rows.size() < maxEvents;
            rows.removeIf(row -> row.id() > firstLarge);
            return inOrder(complete);
        }

        /** As many were found as are in the page. */
        Page asFarAsItFits(int maxEvents) {
            return inOrder(rows.size() == found && found < maxEvents);
        }

        private Page inOrder(boolean complete) {
            rows.sort(Comparator.comparingLong(Row::id));
            return new Page(rows, complete);
        }
    }

    @Override
    public Due due(Connection connection, Map<Integer, Integer> limits) throws SQLException {
        List<Parked> parked = new ArrayList<>();
        Duration next = null;
        try (PreparedStatement select = connection.prepareStatement(sql.due)) {
            bindDue(select, limits);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    next = EventRows.secondsOrNull(row, "next");
                    String state = row.getString("state");
                    if (state == null) {
                        continue;
                    }
                    parked.add(new Parked(
                            row.getInt("shard"),
                            row.getLong("outbox_id"),
                            row.getLong("key_hash"),
                            State.valueOf(state),
                            row.getBoolean("holds"),
                            row.getBoolean("follows")));
                }
            }
        }
        return new Due(parked, next);
    }

    static void bindDue(PreparedStatement select, Map<Integer, Integer> limits) throws SQLException {
        bind(select, integers(limits.keySet()), column("bigint", limits.values(), Integer::longValue));
    }

    @Override
    public List<BlockedAt> blockedDestinations(Connection connection, Collection<BlockedAt> after, int limit)
            throws SQLException {
        List<BlockedAt> blocked = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql.blockedDestinations)) {
            bind(
                    select,
                    column("integer", after, BlockedAt::shard),
                    column("text", after, BlockedAt::destination),
                    limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    blocked.add(new BlockedAt(row.getInt("shard"), row.getString("destination")));
                }
            }
        }
        return blocked;
    }

    @Override
    public List<BlockedRow> blocked(
            Connection connection, int shard, BlockedRow after, boolean sameDestination, int limit)
            throws SQLException {
        List<BlockedRow> blocked = new ArrayList<>();
        String statement = sameDestination ? sql.blockedAt : sql.blocked;
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            bind(select, shard, after.destination(), after.id(), limit);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    blocked.add(new BlockedRow(
                            row.getString("destination"), row.getLong("outbox_id"), row.getLong("key_hash")));
                }
            }
        }
        return blocked;
    }

    @Override
    public List<Queue> queues(Connection connection, List<QueueRequest> keys, int maxEvents, Bytes limits)
            throws SQLException {
        try {
            return queuesTogether(connection, keys, maxEvents, limits);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            List<Queue> queues = new ArrayList<>();
            Bytes share = new Bytes(limits.all() / keys.size(), limits.event());
            for (QueueRequest key : keys) {
                queues.add(queueAlone(connection, key, maxEvents, share));
            }
            return queues;
        }
    }

    /** As {@link #readAlone}. */
    private Queue queueAlone(Connection connection, QueueRequest key, int maxEvents, Bytes limits) throws SQLException {
        try {
            return queuesTogether(connection, List.of(key), maxEvents, limits).get(0);
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return maxEvents > 1
                    ? queueAlone(connection, key, maxEvents / 2, limits)
                    : firstOfQueueAsUnreadable(connection, key, e);
        }
    }

    private Queue firstOfQueueAsUnreadable(Connection connection, QueueRequest key, SQLException error)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.firstOfQueue)) {
            bind(select, key.shard(), key.keyHash());
            try (ResultSet row = select.executeQuery()) {
                List<Row> rows = row.next() && row.getBoolean("sendable")
                        ? List.of(EventRows.unreadable(row, error))
                        : List.of();
                return new Queue(key.shard(), key.keyHash(), rows, List.of());
            }
        }
    }

    private List<Queue> queuesTogether(Connection connection, List<QueueRequest> keys, int maxEvents, Bytes limits)
            throws SQLException {
        Map<QueueRequest, Queue> queues = new LinkedHashMap<>();
        keys.forEach(
                key -> queues.put(key, new Queue(key.shard(), key.keyHash(), new ArrayList<>(), new ArrayList<>())));
        try (PreparedStatement select = connection.prepareStatement(sql.queues)) {
            bind(
                    select,
                    limits.all(),
                    limits.event(),
                    column("integer", keys, QueueRequest::shard),
                    column("bigint", keys, QueueRequest::keyHash),
                    maxEvents);
            try (ResultSet row = select.executeQuery()) {
                long now = System.nanoTime();
                while (row.next()) {
                    QueueRequest key = new QueueRequest(row.getInt("shard"), row.getLong("queue"));
                    Queue queue = queues.get(key);
                    if (!row.getBoolean("fits")) {
                        queues.remove(key);
                    } else if (queue != null && row.getBoolean("open") && row.getBoolean("gone")) {
                        queue.gone().add(row.getLong("id"));
                    } else if (queue != null && row.getBoolean("open")) {
                        queue.rows().add(eventRows.read(row, now, false, limits.event()));
                    }
                }
            }
        }
        return List.copyOf(queues.values());
    }

    @Override
    public Appended append(Connection connection, String owner, Cluster cluster, Recording recording)
            throws SQLException {
        try {
            long txId = appendTogether(connection, owner, cluster, recording, new ChangesTogether());
            if (txId != NOTHING) {
                return new Appended(Set.of(), txId);
            }
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
        }
        // One of them is lost, or has a row in it that cannot be recorded: the others must not suffer for it.
        Set<Integer> fenced = new HashSet<>();
        List<Settlement.Dead> refused = new ArrayList<>();
        for (Append append : recording.appends()) {
            if (!isRecorded(connection, owner, append)) {
                ChangesRowByRow changes = new ChangesRowByRow(connection);
                long alone = appendTogether(connection, owner, cluster, recording.only(append), changes);
                refused.addAll(changes.refused());
                if (alone == NOTHING && changes.refused().isEmpty()) {
                    fenced.add(append.shard());
                }
            }
        }
        return new Appended(fenced, NOTHING, refused);
    }

    /** After an error nobody knows whether the same append was recorded before. */
    private boolean isRecorded(Connection connection, String owner, Append append) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.ownAppend)) {
            bind(select, append.shard(), append.seq(), owner);
            try (ResultSet row = select.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    /**
     * @return the number of the transaction; 0 if not all of it could be written, so that nothing was
     */
    private long appendTogether(
            Connection connection, String owner, Cluster cluster, Recording recording, RowChanges rows)
            throws SQLException {
        List<Append> appends = recording.appends();
        boolean nothingElse =
                appends.stream().allMatch(append -> append.changes().isEmpty());
        if (nothingElse) {
            return insertCursorsUnlessFenced(connection, owner, cluster, appends, recording.durable());
        }
        return inTransaction(connection, () -> {
            long txId = insertCursorsUnlessFenced(connection, owner, cluster, appends, true);
            if (txId != NOTHING) {
                for (Append append : appends) {
                    change(connection, append, recording, rows);
                }
            }
            return rows.refused().isEmpty() ? txId : NOTHING;
        });
    }

    /**
     * Commits unless nothing is to be written. Only what comes from the database is undone here: after anything else, an
     * {@code Error} too, the connection is left as it is, for its owner to give up. Switching it back would commit half of it.
     */
    private static long inTransaction(Connection connection, Transaction.Work<Long> work) throws SQLException {
        connection.setAutoCommit(false);
        long txId;
        try {
            txId = work.run();
            if (txId == NOTHING) {
                connection.rollback();
            } else {
                connection.commit();
            }
        } catch (SQLException e) {
            connection.rollback();
            connection.setAutoCommit(true);
            throw e;
        }
        connection.setAutoCommit(true);
        return txId;
    }

    private long insertCursorsUnlessFenced(
            Connection connection, String owner, Cluster cluster, List<Append> appends, boolean durable)
            throws SQLException {
        try {
            return insertCursors(connection, owner, cluster, appends, durable);
        } catch (SQLException e) {
            return notFenced(e);
        }
    }

    private static long notFenced(SQLException e) throws SQLException {
        if (UNIQUE_VIOLATION.equals(e.getSQLState())) {
            return NOTHING;
        }
        throw e;
    }

    private long insertCursors(
            Connection connection, String owner, Cluster cluster, List<Append> appends, boolean durable)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql.append)) {
            bind(
                    insert,
                    owner,
                    cluster.systemId(),
                    cluster.timeline(),
                    column("integer", appends, Append::shard),
                    column("bigint", appends, Append::seq),
                    column("pg_snapshot", appends, append -> append.position().lo()),
                    column("pg_snapshot", appends, append -> append.position().hi()),
                    column("bigint", appends, append -> append.position().lastId()),
                    column("bigint", appends, append -> append.floor().sequence()),
                    column("bigint", appends, append -> append.floor().lastId()),
                    column("bigint", appends, Append::batch),
                    durable);
            int inserted = 0;
            long txId = NOTHING;
            try (ResultSet row = insert.executeQuery()) {
                while (row.next()) {
                    txId = Long.parseLong(row.getString("tx_id"));
                    inserted++;
                }
            }
            return inserted == appends.size() ? txId : NOTHING;
        }
    }

    /**
     * What cannot be kept beside the log with all that belongs to it is kept as a reference to its row; what cannot be kept
     * there at all is given up.
     */
    private void change(Connection connection, Append append, Recording recording, RowChanges rows)
            throws SQLException {
        Append.Changes changes = append.changes();
        List<Settlement.Dead> dead = new ArrayList<>(changes.dead());
        List<Settlement.Failed> unkept =
                rows.run(changes.failed(), some -> fail(connection, sql.fail, append, some)).stream()
                        .map(Halving.Refused::row)
                        .toList();
        for (Halving.Refused<Settlement.Failed> refused :
                rows.run(unkept, some -> fail(connection, sql.failAsReference, append, some))) {
            dead.add(unparkable(refused.row().claim(), refused.error()));
        }
        dead.addAll(park(connection, append, State.QUEUED, changes.queued(), rows));
        for (Halving.Refused<Settlement.Blocked> refused :
                rows.run(changes.blocked(), some -> block(connection, append, some))) {
            dead.add(unparkable(refused.row().claim(), refused.error()));
        }
        rows.runOrLeave(changes.released(), some -> update(connection, sql.release, longs(some)));
        dead.addAll(park(connection, append, State.SCHEDULED, changes.scheduled(), rows));
        rows.runOrLeave(changes.promoted(), some -> update(connection, sql.promote, longs(some)));
        rows.runOrLeave(changes.attempted(), some -> update(connection, sql.attempt, longs(some)));
        rows.runOrLeave(changes.survived(), some -> update(connection, sql.survive, longs(some)));
        bury(connection, append, recording, dead, rows);
        rows.runOrLeave(changes.deleted(), some -> update(connection, sql.deleteParked, longs(some)));
    }

    private static void fail(Connection connection, String statement, Append append, List<Settlement.Failed> failed)
            throws SQLException {
        update(
                connection,
                statement,
                append.shard(),
                append.batch(),
                ids(failed),
                keys(failed),
                column("integer", failed, one -> one.counted() ? 1 : 0),
                column("bigint", failed, one -> one.delay().toMillis()),
                column("text", failed, Settlement.Failed::error));
    }

    private void block(Connection connection, Append append, List<Settlement.Blocked> blocked) throws SQLException {
        update(
                connection,
                sql.block,
                append.shard(),
                append.batch(),
                ids(blocked),
                keys(blocked),
                column("text", blocked, Settlement.Blocked::destination),
                column("text", blocked, Settlement.Blocked::error));
    }

    /**
     * @return what the table beside the log does not take
     */
    private List<Settlement.Dead> park(
            Connection connection, Append append, State state, List<Append.Place> places, RowChanges rows)
            throws SQLException {
        boolean scheduled = state == State.SCHEDULED;
        return rows
                .run(
                        places,
                        some -> update(
                                connection,
                                sql.park,
                                append.shard(),
                                state.name(),
                                !scheduled,
                                append.batch(),
                                scheduled,
                                column("bigint", some, Append.Place::id),
                                column("bigint", some, Append.Place::keyHash)))
                .stream()
                .map(refused -> unparkable(
                        new RowClaim(refused.row().id(), "", 0, refused.row().keyHash(), 0, 0, Duration.ZERO),
                        refused.error()))
                .toList();
    }

    private static Settlement.Dead unparkable(RowClaim claim, SQLException e) {
        return new Settlement.Dead(claim, Settlement.Dead.DATABASE, "It cannot be parked: " + e.getMessage());
    }

    private void bury(
            Connection connection, Append append, Recording recording, List<Settlement.Dead> dead, RowChanges rows)
            throws SQLException {
        List<Settlement.Dead> lettered = dead.stream()
                .filter(one -> !recording.unlettered().contains(one.claim().id()))
                .toList();
        List<Settlement.Dead> unlettered = dead.stream()
                .filter(one -> recording.unlettered().contains(one.claim().id()))
                .toList();
        List<Halving.Refused<Settlement.Dead>> apart =
                rows.runUnlessHopeless(lettered, some -> update(connection, sql.bury, letters(append, some)));
        boolean hopeless = Halving.isHopeless(lettered, apart);
        for (Halving.Refused<Settlement.Dead> one : apart) {
            if (hopeless || !buryReadable(connection, append, one.row(), rows)) {
                rows.refuse(one.row());
            }
        }
        if (recording.holdDeadKeys()) {
            rows.runOrLeave(lettered, some -> holdDead(connection, append, true, some));
        } else {
            rows.runOrLeave(lettered, some -> update(connection, sql.deleteParked, ids(some)));
        }
        // Without a letter this row is what tells a dead event from one that was sent.
        List<Settlement.Dead> nowhere =
                rows.run(unlettered, some -> holdDead(connection, append, recording.holdDeadKeys(), some)).stream()
                        .map(Halving.Refused::row)
                        .toList();
        rows.runOrLeave(nowhere, some -> update(connection, sql.nameUnrecorded, ids(some)));
    }

    private static @Nullable Object[] letters(Append append, List<Settlement.Dead> dead) {
        return new @Nullable Object[] {
            append.shard(),
            append.batch(),
            ids(dead),
            column("text", dead, Settlement.Dead::errorClass),
            column("text", dead, Settlement.Dead::error)
        };
    }

    private void holdDead(Connection connection, Append append, boolean holds, List<Settlement.Dead> dead)
            throws SQLException {
        update(
                connection,
                sql.holdDead,
                append.shard(),
                holds,
                append.batch(),
                ids(dead),
                keys(dead),
                column("text", dead, Settlement.Dead::error));
    }

    /** A letter of those columns that can be read. */
    private boolean buryReadable(Connection connection, Append append, Settlement.Dead dead, RowChanges rows)
            throws SQLException {
        List<@Nullable Object> flags = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (PostgresLogSql.Column column : sql.columns) {
            boolean readable = rows.run(
                            List.of(dead.claim().id()), some -> read(connection, column.read(), some.get(0)))
                    .isEmpty();
            flags.add(readable);
            if (!readable) {
                unreadable.add(column.name());
            }
        }
        if (unreadable.isEmpty()) {
            return false;
        }
        String error =
                dead.error() + " (Not in this letter, because unreadable: " + String.join(", ", unreadable) + ".)";
        List<@Nullable Object> parameters = new ArrayList<>();
        parameters.add(dead.errorClass());
        parameters.add(error);
        parameters.addAll(flags);
        parameters.add(append.shard());
        parameters.add(append.batch());
        parameters.add(dead.claim().id());
        return rows.run(List.of(dead), some -> update(connection, sql.buryReadable, parameters.toArray()))
                .isEmpty();
    }

    private static void read(Connection connection, String statement, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(statement)) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
            }
        }
    }

    private static Columns.Column ids(Collection<? extends Settlement> of) {
        return column("bigint", of, one -> one.claim().id());
    }

    private static Columns.Column keys(Collection<? extends Settlement> of) {
        return column("bigint", of, one -> one.claim().keyHash());
    }

    private static int update(Connection connection, String statement, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            bind(update, parameters);
            return update.executeUpdate();
        }
    }

    @Override
    public boolean reconcile(Connection connection, String owner, Cluster cluster, Append append, Collection<Long> done)
            throws SQLException {
        int shard = append.shard();
        long batch = append.batch();
        try {
            return inTransaction(connection, () -> {
                        long txId = insertCursors(connection, owner, cluster, List.of(append), true);
                        if (txId != NOTHING) {
                            update(connection, sql.forgetUncommitted, shard, batch, shard, shard, batch, longs(done));
                        }
                        return txId;
                    })
                    != NOTHING;
        } catch (SQLException e) {
            return notFenced(e) != NOTHING;
        }
    }

    @Override
    public Map<Long, String> describe(Connection connection, Collection<Settlement.Dead> dead) throws SQLException {
        Map<Long, String> rows = new LinkedHashMap<>();
        try (PreparedStatement describe = connection.prepareStatement(sql.describe)) {
            bind(
                    describe,
                    ids(dead),
                    column("text", dead, Settlement.Dead::error),
                    column("boolean", dead, Settlement::mayBeFetched));
            try (ResultSet row = describe.executeQuery()) {
                while (row.next()) {
                    rows.put(row.getLong(1), row.getString(2));
                }
            }
        }
        return rows;
    }

    @Override
    public Purged purge(Connection connection, Duration olderThan, Purged.Position after, int limit)
            throws SQLException {
        return Purging.run(
                limit,
                some -> {
                    List<PassedRow> unsent =
                            findPassed(connection, after.id(), some, 0).rows();
                    if (!unsent.isEmpty()) {
                        notePassed(connection, unsent);
                    }
                    // If there may be more of them than were told, nothing is deleted.
                    String statement = unsent.size() < OutboxStatus.Unread.CAP ? sql.purge : sql.pass;
                    return purge(connection, statement, olderThan, after, some, unsent);
                },
                some -> purge(connection, sql.pass, olderThan, after, some, List.of()));
    }

    private static Purged purge(
            Connection connection,
            String statement,
            Duration olderThan,
            Purged.Position after,
            int limit,
            List<PassedRow> unsent)
            throws SQLException {
        try (PreparedStatement purge = connection.prepareStatement(statement)) {
            bind(purge, olderThan.toMillis(), after.id(), limit, notes(connection, unsent));
            try (ResultSet row = purge.executeQuery()) {
                row.next();
                boolean anyOld = row.getInt("old") > 0;
                return new Purged(
                        anyOld ? row.getInt("looked") : 0,
                        row.getInt("deleted"),
                        new Purged.Position(after.createdAt(), Math.max(after.id(), row.getLong("last_id"))));
            }
        }
    }

    @Override
    public Passed findPassed(Connection connection, long after, int limit) throws SQLException {
        return findPassed(connection, after, limit, limit);
    }

    private Passed findPassed(Connection connection, long after, int limit, int newest) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.findPassed)) {
            bind(select, after, limit, newest);
            try (ResultSet row = select.executeQuery()) {
                List<PassedRow> rows = new ArrayList<>();
                Long last = null;
                while (row.next()) {
                    last = row.getInt("looked") < limit ? null : Long.valueOf(row.getLong("last_id"));
                    String transaction = row.getString("tx_id");
                    if (transaction != null) {
                        rows.add(new PassedRow(row.getLong("id"), Long.parseLong(transaction)));
                    }
                }
                return new Passed(rows, last);
            }
        }
    }

    @Override
    public void notePassed(Connection connection, Collection<PassedRow> rows) throws SQLException {
        try (PreparedStatement note = connection.prepareStatement(sql.notePassed)) {
            note.setArray(1, notes(connection, rows));
            note.executeUpdate();
        }
    }

    private static Array notes(Connection connection, Collection<PassedRow> rows) throws SQLException {
        return connection.createArrayOf(
                "text", rows.stream().map(row -> row.id() + ":" + row.txId()).toArray());
    }

    @Override
    public int thinCursors(Connection connection, History keep) throws SQLException {
        return update(
                connection,
                sql.thinCursors,
                keep.all().toMillis(),
                keep.newest(),
                keep.some().toMillis());
    }

    @Override
    public Shares renewShards(
            Connection connection,
            String owner,
            Duration length,
            Collection<Integer> held,
            Collection<Integer> progressed)
            throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(sql.renewShards)) {
            bind(
                    renew,
                    length.toMillis(),
                    leaseNames(progressed),
                    owner,
                    leaseNames(held),
                    Shares.FAILING_AFTER.toMillis());
            try (ResultSet row = renew.executeQuery()) {
                List<Shares.Member> relays = new ArrayList<>();
                Set<Integer> taken = new HashSet<>();
                Set<Integer> mine = new HashSet<>();
                while (row.next()) {
                    String name = row.getString("name");
                    boolean isMine = row.getBoolean("mine");
                    boolean alive = isMine || row.getBoolean("alive");
                    if (name.startsWith("relay/")) {
                        if (alive) {
                            relays.add(new Shares.Member(
                                    row.getString("owner"), row.getString("circuit"), row.getBoolean("failing")));
                        }
                    } else {
                        int shard = Integer.parseInt(name.substring("shard/".length()));
                        if (alive) {
                            taken.add(shard);
                        }
                        if (isMine) {
                            mine.add(shard);
                        }
                    }
                }
                return new Shares(relays, taken, mine);
            }
        }
    }

    private static Columns.Column leaseNames(Collection<Integer> shards) {
        return column("text", shards, shard -> "shard/" + shard);
    }

    @Override
    public int takeShard(Connection connection, int shard, String owner, Duration length) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(sql.takeShard)) {
            bind(take, shard, owner, length.toMillis());
            try (ResultSet row = take.executeQuery()) {
                return row.next() ? row.getInt("takeovers") : -1;
            }
        }
    }

    @Override
    public void releaseShard(Connection connection, int shard, String owner) throws SQLException {
        update(connection, sql.releaseShard, shard, owner);
    }

    @Override
    public List<Lag> lag(Connection connection, int cap) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.lag)) {
            select.setInt(1, cap);
            try (ResultSet row = select.executeQuery()) {
                List<Lag> lag = new ArrayList<>();
                while (row.next()) {
                    Duration oldest = EventRows.seconds(row, "oldest");
                    boolean none = row.wasNull();
                    lag.add(new Lag(
                            row.getInt("shard"),
                            row.getBoolean("alive") ? row.getString("owner") : null,
                            row.getLong("takeovers"),
                            row.getLong("events"),
                            none ? null : oldest,
                            EventRows.seconds(row, "age")));
                }
                return lag;
            }
        }
    }

    @Override
    public ParkedCounts parked(Connection connection, int cap) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql.parkedCounts)) {
            select.setInt(1, cap);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                Duration oldest = EventRows.seconds(row, "oldest");
                return new ParkedCounts(
                        row.getLong("failed"),
                        row.getLong("queued"),
                        row.getLong("blocked"),
                        row.getLong("scheduled"),
                        row.wasNull() ? Duration.ZERO : oldest);
            }
        }
    }

    @Override
    public Backlog backlog(Connection connection, int cap) throws SQLException {
        ParkedCounts parked = parked(connection, cap);
        long count = parked.failed() + parked.queued();
        Duration oldest = parked.oldest();
        for (Lag lag : lag(connection, cap)) {
            count += lag.events();
            if (lag.oldest() != null && lag.oldest().compareTo(oldest) > 0) {
                oldest = lag.oldest();
            }
        }
        return new Backlog(Math.min(cap, count), oldest);
    }
}
