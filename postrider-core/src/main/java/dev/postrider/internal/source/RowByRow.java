package dev.postrider.internal.source;

import dev.postrider.EventStatus;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.Halving;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a claim source asks of its store, so that no row is in the way of others: if a statement about many rows fails because
 * of some (a trigger, a constraint, a limit of an index, damaged data), these are found and given up, and the others go on.
 *
 * <p>A row that no statement can change is <em>stuck</em>: it is left alone for a while, closes its key, and is told of.
 * Nothing else is possible. Called by the relay's threads.
 */
final class RowByRow {
    private static final Logger log = LoggerFactory.getLogger(RowByRow.class);

    /** So many rows are repaired one by one at a time, so that the relay's thread is soon back at its work. */
    private static final int REPAIRED_SINGLY = 100;

    /** With so many the fault is not theirs, but that of whatever refuses them. */
    private static final int MOST_STUCK = 1000;

    /** After so long it is tried again whether a stuck row can be changed. */
    private static final long STUCK_NANOS = 60_000_000_000L;

    /** One of each kind that is settled. */
    private static final List<Settlement> NOBODYS = List.of(
            new Settlement.Published(RowClaim.NOBODY),
            new Settlement.Returned(RowClaim.NOBODY),
            new Settlement.Failed(RowClaim.NOBODY, "", Duration.ZERO, false));

    private final OutboxStore store;
    private final RelaySettings settings;
    private final DeadLetters deadLetters;

    /** Rows that nothing could be done for, and since when. */
    private final Map<Long, Long> stuck = new ConcurrentHashMap<>();

    RowByRow(OutboxStore store, RelaySettings settings, DeadLetters deadLetters) {
        this.store = store;
        this.settings = settings;
        this.deadLetters = deadLetters;
    }

    /** Rows that are not to be claimed now. */
    Set<Long> stuck() {
        long now = System.nanoTime();
        stuck.values().removeIf(since -> now - since > STUCK_NANOS);
        return stuck.keySet();
    }

    /**
     * Fewer and fewer rows, until either a claim succeeds or the first row is the one: that is given up without having been
     * claimed.
     */
    Taken claim(Connection connection, ClaimRequest request) throws SQLException {
        return claim(
                request,
                some -> store.claim(connection, some),
                some -> store.singly().firstDue(connection, some),
                connection);
    }

    Claimed claimSuspects(Connection connection, ClaimRequest request, int deaths) throws SQLException {
        return claim(
                        request,
                        some -> store.claimSuspects(connection, some, deaths),
                        some -> store.singly().firstSuspect(connection, some, deaths),
                        connection)
                .claimed();
    }

    /**
     * @param scan so many rows were looked at
     */
    record Taken(Claimed claimed, int scan) {}

    private interface Question<T> {
        T of(ClaimRequest request) throws SQLException;
    }

    private Taken claim(
            ClaimRequest request, Question<Claimed> claim, Question<List<RowClaim>> first, Connection connection)
            throws SQLException {
        try {
            return new Taken(claim.of(request), request.scan());
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> claim.of(request.withScan(0)));
            return request.scan() > 1
                    ? claim(request.withScan(request.scan() / 2), claim, first, connection)
                    : new Taken(giveUp(connection, first.of(request), request.owner(), e), 0);
        }
    }

    private Claimed giveUp(Connection connection, List<RowClaim> first, String owner, SQLException error)
            throws SQLException {
        List<Settlement.Dead> guilty = new ArrayList<>();
        for (RowClaim row : first) {
            Optional<SQLException> why = store.singly().whyUnclaimable(connection, row, owner);
            why.ifPresent(reason -> guilty.add(new Settlement.Dead(
                    row, Settlement.Dead.DATABASE, "The row cannot be claimed: " + inWords(reason))));
        }
        if (guilty.isEmpty()) {
            // Somebody else has just dealt with it, or it is not the fault of rows after all.
            throw error;
        }
        return new Claimed(List.of(), guilty, 0, guilty.size() + 1, 0);
    }

    /** Outcomes that cannot be recorded with the rest are recorded by changing as little as possible, or given up. */
    Set<Long> settle(Connection connection, List<Settlement> settlements) throws SQLException {
        Set<Long> recorded = new HashSet<>();
        SqlErrors.Statement nobodys =
                () -> store.settle(connection, NOBODYS, settings.delivery().onPublished());
        for (Halving.Refused<Settlement> refused : Halving.run(
                settlements,
                some -> recorded.addAll(
                        store.settle(connection, some, settings.delivery().onPublished())),
                e -> SqlErrors.isRowsFault(e, nobodys))) {
            requireRowsFault(connection, refused.error(), nobodys);
            Settlement settlement = refused.row();
            if (settleAgain(connection, settlement, recorded, nobodys)) {
                continue;
            }
            if (settlement instanceof Settlement.Published && mark(connection, settlement, EventStatus.PUBLISHED)) {
                recorded.add(settlement.claim().id());
            } else {
                String what = settlement instanceof Settlement.Published
                        ? "It was delivered, but that cannot be recorded in its row: "
                        : "Its outcome cannot be recorded in its row: ";
                Settlement.Dead dead = new Settlement.Dead(
                        settlement.claim(), Settlement.Dead.DATABASE, what + inWords(refused.error()));
                recorded.addAll(
                        settlement instanceof Settlement.Published
                                ? recorded(deadLetters.buryAndContinue(connection, List.of(dead)), List.of(dead))
                                : bury(connection, List.of(dead)));
            }
        }
        return recorded;
    }

    /**
     * An error that nobody knows may have been the server's, and be over: before a row is blamed it fails alone twice.
     *
     * @return whether it has not failed again
     */
    private boolean settleAgain(
            Connection connection, Settlement settlement, Set<Long> recorded, SqlErrors.Statement aboutNoRow)
            throws SQLException {
        try {
            recorded.addAll(store.settle(
                    connection, List.of(settlement), settings.delivery().onPublished()));
            return true;
        } catch (SQLException e) {
            requireRowsFault(connection, e, aboutNoRow);
            return false;
        }
    }

    private boolean mark(Connection connection, Settlement settlement, EventStatus status) throws SQLException {
        try {
            return store.singly().mark(connection, settlement.claim(), status, false);
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> markNobody(connection));
            return false;
        }
    }

    private void markNobody(Connection connection) throws SQLException {
        store.singly().mark(connection, RowClaim.NOBODY, EventStatus.PENDING, false);
    }

    Set<Long> bury(Connection connection, List<Settlement.Dead> dead) throws SQLException {
        return recorded(deadLetters.bury(connection, dead), dead);
    }

    private Set<Long> recorded(DeadLetters.Buried buried, List<Settlement.Dead> dead) {
        for (Settlement.Dead one : dead) {
            long id = one.claim().id();
            if (buried.stuck().contains(id) && stuck.putIfAbsent(id, System.nanoTime()) == null) {
                log.error(
                        "[{}] row {} cannot be changed at all, not even to give it up: it stays as it is, and its key is"
                                + " closed: {}",
                        settings.name(),
                        id,
                        one.error());
            }
        }
        return buried.recorded();
    }

    int recoverStalled(Connection connection, int limit) throws SQLException {
        try {
            return store.recoverStalled(connection, limit);
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> store.recoverStalled(connection, 0));
            return putBack(connection, store.singly().stalled(connection, REPAIRED_SINGLY + stuck.size()));
        }
    }

    OutboxStore.HeldKeys releaseHeld(Connection connection, long fromKey, int keys, int limit) throws SQLException {
        try {
            return store.releaseHeld(connection, fromKey, keys, limit);
        } catch (SQLException e) {
            return new OutboxStore.HeldKeys(0, 0, releaseSingly(connection, e));
        }
    }

    int releaseHeld(Connection connection, Collection<Long> keys, int limit) throws SQLException {
        try {
            return store.releaseHeld(connection, keys, limit);
        } catch (SQLException e) {
            return releaseSingly(connection, e);
        }
    }

    /** Whatever their keys are. */
    private int releaseSingly(Connection connection, SQLException e) throws SQLException {
        requireRowsFault(connection, e, () -> store.releaseHeld(connection, Long.MIN_VALUE, 1, 0));
        return putBack(connection, store.singly().releasable(connection, REPAIRED_SINGLY + stuck.size()));
    }

    List<String> blockedDestinations(Connection connection, String after, int limit) throws SQLException {
        return store.blockedDestinations(connection, after, limit);
    }

    int releaseBlocked(Connection connection, String destination, int limit) throws SQLException {
        try {
            return store.releaseBlocked(connection, destination, limit);
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> markNobody(connection));
            int some = Math.min(limit, REPAIRED_SINGLY);
            return putBack(connection, store.singly().blocked(connection, destination, some + stuck.size()));
        }
    }

    /** If a row is in the way, some of each destination: what is left goes on with its destination. */
    OutboxStore.ReleasedTo releaseAnyBlocked(Connection connection, OutboxStore.ReleasedTo after, int limit)
            throws SQLException {
        try {
            return store.releaseAnyBlocked(connection, after, limit);
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> markNobody(connection));
            releaseSomeOfEach(connection);
            return new OutboxStore.ReleasedTo(after.destination(), after.id(), 0);
        }
    }

    private void releaseSomeOfEach(Connection connection) throws SQLException {
        for (String destination : store.blockedDestinations(connection, "", REPAIRED_SINGLY)) {
            releaseBlocked(connection, destination, REPAIRED_SINGLY);
        }
    }

    /** If a row is in the way, some of each destination, which does no harm: what cannot be sent is blocked again. */
    OutboxStore.ReleasedTo releaseFollowers(Connection connection, OutboxStore.ReleasedTo after, int limit)
            throws SQLException {
        try {
            return store.releaseFollowers(connection, after, limit);
        } catch (SQLException e) {
            requireRowsFault(connection, e, () -> markNobody(connection));
            releaseSomeOfEach(connection);
            return OutboxStore.ReleasedTo.START;
        }
    }

    private int putBack(Connection connection, List<RowClaim> rows) throws SQLException {
        int back = 0;
        Set<Long> hopeless = stuck();
        for (RowClaim row : rows) {
            if (hopeless.contains(row.id())) {
                continue;
            }
            try {
                back += store.singly().mark(connection, row, EventStatus.PENDING, false) ? 1 : 0;
            } catch (SQLException e) {
                requireRowsFault(connection, e, () -> markNobody(connection));
                bury(
                        connection,
                        List.of(new Settlement.Dead(
                                row, Settlement.Dead.DATABASE, "The row cannot be put back: " + inWords(e))));
            }
        }
        return back;
    }

    /** An error that blames rows does so only if the connection stands. */
    private void requireRowsFault(Connection connection, SQLException e, SqlErrors.Statement aboutNoRow)
            throws SQLException {
        if (!SqlErrors.isRowsFault(e, aboutNoRow) || stuck.size() > MOST_STUCK || !connection.isValid(5)) {
            throw e;
        }
    }

    private static String inWords(SQLException e) {
        return e.getMessage() + " (SQL state " + e.getSQLState() + ")";
    }
}
