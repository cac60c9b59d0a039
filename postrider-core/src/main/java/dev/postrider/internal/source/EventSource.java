package dev.postrider.internal.source;

import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Where a relay's events come from and where their outcomes go. Called by the relay's thread alone. */
public interface EventSource extends AutoCloseable {

    /** The next events to send, in order; they are this relay's until they are settled. */
    Fetched fetch(int maxEvents, long maxBytes) throws SQLException;

    /**
     * The next events that relays have died with, or none: see {@link CarefulBatches}. Send them with nothing else in hand:
     * should this relay die too, one of them is why.
     */
    Fetched fetchSuspects(int maxEvents, long maxBytes) throws SQLException;

    /**
     * Records outcomes, other than death unless the source is transactional; at once or before long, {@link #settled} tells
     * when. May be called again with the same ones after an error.
     */
    void settle(List<Settlement> settlements) throws SQLException;

    /**
     * Records deliveries on a thread of its own, while this one goes on. The rest as {@link #settle}; not to be called again,
     * nor {@link #settle}, before it has ended.
     *
     * @return nothing if this source records on the relay's thread only
     */
    default Optional<CompletableFuture<Settled>> settleBeside(List<Settlement> published) {
        return Optional.empty();
    }

    /** Gives events up, each kept where a person finds it. The rest as {@link #settle}. */
    void bury(List<Settlement.Dead> dead) throws SQLException;

    /** What has become of outcomes since this was asked last: only of these anybody may be told. */
    Settled settled();

    /**
     * How long until something becomes due that has to be fetched then, whatever the poll interval, as far as is known; null
     * if nothing is. Asks nobody.
     */
    default @Nullable Duration untilDue() {
        return null;
    }

    /** Small repairs that any relay does for all: dead relays' events, keys that may go on. */
    Repaired repair() throws SQLException;

    /**
     * Lets events go on whose destinations may be tried again, some at a time, those written first before others. After a
     * start it lets go on once whatever waits, whatever for: events may be routed otherwise now.
     *
     * @param releasable how many of the events that wait for a destination may be tried now
     */
    Released releaseBlocked(ToIntFunction<String> releasable) throws SQLException;

    /**
     * @param events how many may be sent now
     * @param more ask again before long
     */
    record Released(int events, boolean more) {
        public static final Released NOTHING = new Released(0, false);
    }

    /**
     * Whether the destination could be made ready for the events of a source.
     *
     * @param problem null if it could
     */
    record Reached(@Nullable String problem) {}

    /** What came of the last try to make the destination ready, since this was asked last; null if there was none. */
    default @Nullable Reached reached() {
        return null;
    }

    /** Whether the events of a fetch belong together: the next are fetched, and all are settled, when all are answered. */
    boolean isTransactional();

    /**
     * Whether events may be this relay's that it does not know of, because a fetch ended with an error: then it goes on
     * under a new name.
     */
    boolean isInDoubt();

    /** Everything in flight has been answered, and the relay goes on under a new name: what it had is no longer its. */
    void startOver() throws SQLException;

    /** Whether what is in flight has taken too long: it is wanted elsewhere. */
    boolean isLineToBeStopped();

    /** How much waits to be sent; cheap enough to be asked every few seconds. */
    Backlog backlog() throws SQLException;

    /** Records what is still to be recorded, and ends. */
    @Override
    void close();

    /** Ends with an error whatever the source waits for at this moment. Any thread. */
    default void unblock() {}

    /** Ends without recording anything: what is remembered cannot be trusted any more. Any thread. */
    default void abandon() {
        close();
    }

    /**
     * @param recorded outcomes in effect. They may differ from what was to be recorded: an event that was accepted in a
     *     transaction that is undone is returned
     * @param lost rows of which nothing was recorded: others had taken the events over, or will do so
     */
    record Settled(List<Settlement> recorded, Set<Long> lost) {
        public Settled {
            recorded = List.copyOf(recorded);
            lost = Set.copyOf(lost);
        }

        /** Those of them whose rows were recorded, and the others. */
        static Settled of(List<? extends Settlement> settlements, Set<Long> ids) {
            List<Settlement> recorded = new ArrayList<>();
            Set<Long> lost = new HashSet<>();
            for (Settlement settlement : settlements) {
                long id = settlement.claim().id();
                if (ids.contains(id)) {
                    recorded.add(settlement);
                } else {
                    lost.add(id);
                }
            }
            return new Settled(recorded, lost);
        }

        Settled and(Settled others) {
            List<Settlement> all = new ArrayList<>(recorded);
            all.addAll(others.recorded());
            Set<Long> allLost = new HashSet<>(lost);
            allLost.addAll(others.lost());
            return new Settled(all, allLost);
        }
    }

    /**
     * @param events to send
     * @param unsendable claimed too, but only to be buried
     * @param more there may be more at once
     * @param blocked something is due that waits for events in flight, here or at another relay
     * @param partial it was not looked everywhere: do so before long, even if nobody calls
     * @param crowded most of what was met waits for events in flight: it is of no use to fetch while so many are
     */
    record Fetched(
            List<StoredEvent> events,
            List<Settlement.Dead> unsendable,
            boolean more,
            boolean blocked,
            boolean partial,
            boolean crowded) {

        public Fetched(List<StoredEvent> events, List<Settlement.Dead> unsendable, boolean more, boolean blocked) {
            this(events, unsendable, more, blocked, false, false);
        }
    }

    /**
     * @param recovered events put back that a dead relay had claimed
     * @param released events of keys that were closed and may go on
     * @param suspects whether there are events to be sent with care
     */
    record Repaired(int recovered, int released, boolean suspects) {}
}
