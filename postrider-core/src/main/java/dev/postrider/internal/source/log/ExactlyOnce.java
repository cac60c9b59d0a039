package dev.postrider.internal.source.log;

import dev.postrider.PostriderException;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.Position;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Delivery exactly once: events and the position behind them are committed together by the destination, whose
 * position counts. The cursor in the database is written just before, with the events that are parked, and says what is
 * about to be committed.
 *
 * <p>A batch: 1. events are sent; 2. if one of them is not accepted, all is undone, and the batch built again without it;
 * 3. if the batch before is in effect, cursor and parked events are recorded in the database, under the next batch number; 4. the position is sent, and all
 * is committed; 5. if nobody knows whether it was, the shard is taken over again.
 *
 * <p>Taking over, behind the fence: the destination ends what was under way and tells the last position. What the
 * database has of later batches never happened.
 */
final class ExactlyOnce {
    private static final Logger log = LoggerFactory.getLogger(ExactlyOnce.class);
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private static final String ANEW =
            "If duplicates do no harm, run 'postrider alter --delivery at-least-once' with all"
                    + " relays stopped; 'postrider alter --delivery exactly-once' starts again from there.";

    private final String relay;
    private final LogStore store;
    private final TransactionalPublisher line;
    private final TransactionSize size;
    private EventSource.@Nullable Reached reached;

    ExactlyOnce(String relay, LogStore store, TransactionalPublisher line, Duration timeout) {
        this.relay = relay;
        this.store = store;
        this.line = line;
        this.size = new TransactionSize(timeout);
    }

    TransactionSize size() {
        return size;
    }

    /** Whether the shard could be taken over at the destination, if that was tried since this was asked last. */
    EventSource.@Nullable Reached reached() {
        EventSource.Reached last = reached;
        reached = null;
        return last;
    }

    /**
     * What the destination keeps.
     *
     * @param batch counts transactions
     * @param done events beside the log that were sent in the transaction; their rows are deleted afterwards
     */
    record Committed(
            long batch, String lo, @Nullable String hi, long lastId, List<Long> done, long systemId, int timeline) {}

    /**
     * Takes a shard over whose fence row has just been written.
     *
     * @return the cursor to go on from; null if it could not be done now
     */
    @Nullable
    Cursor takeOver(Connection connection, Cursor fenced, String owner, Cluster cluster) throws SQLException {
        Committed committed;
        try {
            String position = line.takeOver();
            committed = read(fenced, position);
            if (position == null) {
                // Before the database knows of a first batch: from then on no position means that it was lost.
                line.commit(MAPPER.writeValueAsString(committed));
            }
        } catch (DestinationUnavailableException | NotCommittedException | OutcomeUnknownException e) {
            log.warn("[{}] shard {} cannot be taken over yet: {}", relay, fenced.shard(), e.getMessage());
            reached = new EventSource.Reached(e.getMessage());
            return null;
        }
        reached = new EventSource.Reached(null);
        Position position = positionFor(connection, fenced, committed, cluster);
        Append append = new Append(
                fenced.shard(), fenced.seq() + 1, position, fenced.floor(), committed.batch(), Append.Changes.NONE);
        if (!store.reconcile(connection, owner, cluster, append, committed.done())) {
            return null;
        }
        return new Cursor(fenced.shard(), append.seq(), position, append.floor(), append.batch(), owner, cluster);
    }

    private static Committed read(Cursor fenced, @Nullable String text) {
        if (text == null && fenced.batch() > 0) {
            throw new PostriderException("The destination has no position of shard " + fenced.shard()
                    + ", but the database knows of batch " + fenced.batch()
                    + ": the topic with the positions was deleted"
                    + " or emptied. Nothing is sent, because it could be doubled. " + ANEW);
        }
        if (text == null) {
            Position position = fenced.position();
            return new Committed(
                    0,
                    position.lo(),
                    position.hi(),
                    position.lastId(),
                    List.of(),
                    fenced.cluster().systemId(),
                    fenced.cluster().timeline());
        }
        Committed committed;
        try {
            committed = MAPPER.readValue(text, Committed.class);
        } catch (JacksonException e) {
            throw new PostriderException(
                    "The destination's position of shard " + fenced.shard() + " cannot be read: " + text, e);
        }
        // The database gets to know of a batch only after the one before was committed, or found to be.
        if (fenced.batch() > committed.batch() + 1) {
            throw new PostriderException("The destination's position of shard " + fenced.shard() + " is of batch "
                    + committed.batch() + ", but the database knows of batch " + fenced.batch()
                    + ": the destination has lost what it had acknowledged. Nothing is sent, because events could be lost"
                    + " or doubled. " + ANEW);
        }
        return committed;
    }

    /**
     * After a fail-over the destination's position may speak of transactions that this server never had. The newest
     * position that both know is the database's last one up to that batch.
     */
    private Position positionFor(Connection connection, Cursor fenced, Committed committed, Cluster cluster)
            throws SQLException {
        if (committed.systemId() == cluster.systemId() && committed.timeline() == cluster.timeline()) {
            return new Position(committed.lo(), committed.hi(), committed.lastId());
        }
        Cursor known = store.cursorOfBatch(connection, fenced.shard(), committed.batch());
        if (known == null) {
            throw new PostriderException("Shard " + fenced.shard() + " was committed up to batch " + committed.batch()
                    + " before the database failed over, and the database has no position of it or before it. Run"
                    + " 'postrider alter --delivery at-least-once' with all relays stopped.");
        }
        log.error(
                "[{}] shard {} goes on from batch {}; the destination has {}: what is between comes again",
                relay,
                fenced.shard(),
                known.batch(),
                committed.batch());
        return known.position();
    }

    /**
     * What became of a batch: all of it, or, if one event was sent and not accepted, nothing but that one's end. What waits for its
     * destination, or was refused before it was sent, is not in the way of the others.
     */
    Outcome conclude(List<Settlement> settlements) {
        Map<Long, Long> blocked = new HashMap<>();
        for (Settlement settlement : settlements) {
            if (settlement instanceof Settlement.Blocked) {
                blocked.merge(settlement.claim().keyHash(), settlement.claim().id(), Math::min);
            }
        }
        // What is behind a blocked event of its key was never handed over.
        boolean complete = settlements.stream()
                .allMatch(one -> one instanceof Settlement.Published
                        || one instanceof Settlement.Blocked
                        || one instanceof Settlement.Returned
                                && blocked.getOrDefault(one.claim().keyHash(), Long.MAX_VALUE)
                                        < one.claim().id());
        if (complete || line.isIntact()) {
            return new Outcome(settlements, true, true);
        }
        boolean usable = settlements.stream().anyMatch(ExactlyOnce::isItsOwnFault) ? rebuild() : abort();
        List<Settlement> undone = new ArrayList<>();
        for (Settlement settlement : settlements) {
            undone.add(
                    settlement instanceof Settlement.Published
                            ? new Settlement.Returned(settlement.claim())
                            : settlement);
        }
        return new Outcome(undone, false, usable);
    }

    private static boolean isItsOwnFault(Settlement settlement) {
        return settlement instanceof Settlement.Dead
                || settlement instanceof Settlement.Failed failed && failed.counted();
    }

    /** The batch is built again without what was rejected; its size was not the reason. */
    private boolean rebuild() {
        size.rebuilt();
        return line.abort();
    }

    /**
     * @param committed whether what was accepted is about to be: then nothing may stay in the log before it
     * @param usable whether the line is; if not, the shard is taken over again
     */
    record Outcome(List<Settlement> settlements, boolean committed, boolean usable) {}

    /** Before the append is recorded: what was committed last must be in effect, because it cannot be sent again afterwards. */
    void confirm() throws DestinationUnavailableException {
        line.confirm();
    }

    /** After the append was recorded, and with nothing in flight: the last step. */
    void commit(Append append, List<Long> done, Cluster cluster) throws NotCommittedException, OutcomeUnknownException {
        Position position = append.position();
        try {
            line.commit(MAPPER.writeValueAsString(new Committed(
                    append.batch(),
                    position.lo(),
                    position.hi(),
                    position.lastId(),
                    done,
                    cluster.systemId(),
                    cluster.timeline())));
        } catch (OutcomeUnknownException e) {
            size.undone();
            throw e;
        }
        size.committed();
    }

    /**
     * @return whether the line is of use on; if not, the shard is taken over again
     */
    boolean abort() {
        if (size.undone()) {
            log.info("[{}] a transaction was not committed: the next ones are smaller for a while", relay);
        }
        return line.abort();
    }
}
