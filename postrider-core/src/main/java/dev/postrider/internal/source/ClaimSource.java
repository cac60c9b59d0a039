package dev.postrider.internal.source;

import dev.postrider.Ordering;
import dev.postrider.RelaySettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.Claimed;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.jdbc.RelaySession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads an outbox by claiming its rows, beside any number of competing relays. The row's version is
 * the fence: whoever lost a row cannot settle it.
 *
 * <p>Deliveries can be recorded by a second thread, over a connection of its own: claims and they never touch the same
 * rows, and a claim that does not see them yet keeps more back than it needs to, never less.
 */
public final class ClaimSource implements EventSource {
    /** How far beyond its batch a claim may look when what it meets waits for events in flight. */
    private static final int MAX_SCAN_FACTOR = 8;

    /** The same for events that relays have died with, some of which wait for others of their keys. */
    private static final int SUSPECT_SCAN_FACTOR = 4;

    /** So many rows are repaired in one statement, so that the relay's thread is soon back at its work. */
    private static final int REPAIR_LIMIT = 5_000;

    /** A gauge needs to know that it is much, not how much. */
    private static final int BACKLOG_CAP = 100_000;

    /** Give up after this many relay deaths with an event and nothing else in hand. */
    private static final int DEATHS_ALONE_TO_GIVE_UP = 3;

    /** What was given back unsent is due as before; if it cannot be sent for a while, it is not claimed all the time. */
    private static final Duration RETURNED_AGAIN = Duration.ofMillis(10);

    private static final Settled NOTHING_SETTLED = new Settled(List.of(), Set.of());

    private final OutboxStore store;
    private final RelaySession session;
    private final RelaySession besides;
    private final ExecutorService recorder;
    private final Supplier<String> owner;
    private final RelaySettings settings;
    private final RowByRow rowByRow;
    private final BlockedClaims blocked;
    private final ClosedKeys closedKeys;
    private final LookFrom lookFrom = new LookFrom(System.nanoTime());
    private final NextDue nextDue = new NextDue();
    private Settled settled = NOTHING_SETTLED;
    private int scanFactor = 1;
    private boolean inDoubt;

    /**
     * @param besides for what is recorded beside the relay's thread
     * @param owner the relay's current name, asked anew for each claim
     */
    public ClaimSource(
            OutboxStore store,
            RelaySession session,
            RelaySession besides,
            Supplier<String> owner,
            RelaySettings settings,
            DeadLetters deadLetters) {
        this.store = store;
        this.session = session;
        this.besides = besides;
        this.recorder = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "postrider-" + settings.name() + "-settle");
            thread.setDaemon(true);
            return thread;
        });
        this.owner = owner;
        this.settings = settings;
        this.rowByRow = new RowByRow(store, settings, deadLetters);
        this.blocked = new BlockedClaims(rowByRow);
        this.closedKeys = new ClosedKeys(rowByRow, System::nanoTime);
        // Each time anew: behind the same address there may be another server.
        session.onOpen(connection ->
                store.checkOrdering(connection, settings.delivery().ordering()));
    }

    @Override
    public Fetched fetch(int maxEvents, long maxBytes) throws SQLException {
        int scan = maxEvents * scanFactor;
        long began = System.nanoTime();
        ClaimRequest request = new ClaimRequest(
                owner.get(),
                settings.delivery().ordering(),
                scan,
                maxEvents,
                maxBytes,
                settings.batch().maxEventBytes(),
                settings.delivery().split(),
                lookFrom.next(began),
                rowByRow.stuck());
        RowByRow.Taken taken = take(connection -> {
            RowByRow.Taken some = rowByRow.claim(connection, request);
            return new RowByRow.Taken(leaveClosed(connection, some.claimed()), some.scan());
        });
        Claimed claimed = taken.claimed();
        closedKeys.changed(claimed.heldKeys());
        if (claimed.next().known()) {
            nextDue.set(claimed.next().in());
        }
        if (taken.scan() < scan) {
            // Some of what was to be claimed cannot be: what is behind it has its turn at once.
            lookFrom.lookEverywhere(System.nanoTime());
            return new Fetched(claimed.events(), claimed.unsendable(), true, false, false, false);
        }
        remember(request.fromId(), claimed, began);
        int moved = claimed.events().size() + claimed.unsendable().size() + claimed.held();
        boolean sawAll = claimed.seen() < request.scanOfDue();
        // Locking rows costs writes, so a claim looks further only while most of what it meets must wait.
        boolean crowded = moved * 2 < claimed.seen();
        scanFactor = !sawAll && crowded ? Math.min(scanFactor * 2, MAX_SCAN_FACTOR) : 1;
        boolean more = !sawAll && moved > 0;
        return new Fetched(
                claimed.events(),
                claimed.unsendable(),
                more,
                !more && claimed.seen() > moved,
                request.fromId() != LookFrom.EVERYWHERE,
                crowded);
    }

    /** An event that is about to be given up holds back the later ones of its key, if dead letters do. */
    private Claimed leaveClosed(Connection connection, Claimed claimed) throws SQLException {
        boolean holdKeys = settings.delivery().ordering() == Ordering.KEY
                && settings.deadLetters().then() == DeadLetterSettings.Then.HOLD_KEY;
        if (!holdKeys || claimed.unsendable().isEmpty()) {
            return claimed;
        }
        Map<Long, Long> closed = new HashMap<>();
        claimed.unsendable()
                .forEach(dead ->
                        closed.merge(dead.claim().keyHash(), dead.claim().id(), Math::min));
        List<StoredEvent> free = new ArrayList<>();
        List<Settlement> behind = new ArrayList<>();
        for (StoredEvent event : claimed.events()) {
            if (event.claim().id() > closed.getOrDefault(event.claim().keyHash(), Long.MAX_VALUE)) {
                behind.add(new Settlement.Returned(event.claim()));
            } else {
                free.add(event);
            }
        }
        if (behind.isEmpty()) {
            return claimed;
        }
        rowByRow.settle(connection, behind);
        return new Claimed(
                free,
                claimed.unsendable(),
                claimed.held(),
                claimed.heldKeys(),
                claimed.seen(),
                claimed.lowest(),
                claimed.next());
    }

    private void remember(long fromId, Claimed claimed, long began) {
        long now = System.nanoTime();
        if (claimed.lowest() == 0 || claimed.events().isEmpty()) {
            lookFrom.looked(fromId, now, now - began);
        } else {
            // Of those due at once: retries are older than what was written beside them.
            Duration youngest = claimed.events().stream()
                    .map(StoredEvent::claim)
                    .filter(claim -> claim.id() >= claimed.lowest())
                    .map(RowClaim::age)
                    .min(Comparator.naturalOrder())
                    .orElse(Duration.ZERO);
            lookFrom.met(fromId, claimed.lowest(), youngest, now, now - began);
        }
    }

    /**
     * Events that as many relays have died with. Those with the fewest deaths first, most of which are innocent; unless all
     * of them wait for others of their keys.
     */
    @Override
    public Fetched fetchSuspects(int maxEvents, long maxBytes) throws SQLException {
        int deathsUntilAlone = CarefulBatches.deathsUntilAlone(settings.batch().size());
        for (int deaths : session.call(store::deathsOfSuspects)) {
            int size = Math.min(maxEvents, CarefulBatches.size(settings.batch().size(), deaths));
            ClaimRequest request = new ClaimRequest(
                    owner.get(),
                    settings.delivery().ordering(),
                    size * SUSPECT_SCAN_FACTOR,
                    size,
                    maxBytes,
                    settings.batch().maxEventBytes(),
                    settings.delivery().split(),
                    0,
                    rowByRow.stuck());
            Claimed claimed =
                    take(connection -> leaveClosed(connection, rowByRow.claimSuspects(connection, request, deaths)));
            closedKeys.changed(claimed.heldKeys());
            if (!claimed.events().isEmpty() || !claimed.unsendable().isEmpty()) {
                return deaths >= deathsUntilAlone + DEATHS_ALONE_TO_GIVE_UP
                        ? new Fetched(List.of(), giveUp(claimed, deaths), true, false)
                        : new Fetched(claimed.events(), claimed.unsendable(), true, false);
            }
        }
        return new Fetched(List.of(), List.of(), false, false);
    }

    private static List<Settlement.Dead> giveUp(Claimed claimed, int deaths) {
        List<Settlement.Dead> dead = new ArrayList<>(claimed.unsendable());
        for (StoredEvent suspect : claimed.events()) {
            dead.add(new Settlement.Dead(
                    suspect.claim(), "process-death", "Relays died " + deaths + " times while they sent it."));
        }
        return dead;
    }

    private <T> T take(RelaySession.Work<T> claim) throws SQLException {
        // Should it fail, the claim may have taken place all the same.
        inDoubt = true;
        T claimed = session.call(claim);
        inDoubt = false;
        return claimed;
    }

    @Override
    public boolean isTransactional() {
        return false;
    }

    @Override
    public boolean isInDoubt() {
        return inDoubt;
    }

    @Override
    public void startOver() {
        inDoubt = false;
        lookFrom.lookEverywhere(System.nanoTime());
    }

    @Override
    public boolean isLineToBeStopped() {
        return false;
    }

    @Override
    public void settle(List<Settlement> settlements) throws SQLException {
        if (settlements.stream().anyMatch(Settlement.Returned.class::isInstance)) {
            lookFrom.lookEverywhere(System.nanoTime());
        }
        settled = settled.and(
                Settled.of(settlements, session.call(connection -> rowByRow.settle(connection, settlements))));
        closedKeys.settled(settlements);
        for (Settlement settlement : settlements) {
            if (settlement instanceof Settlement.Failed failed) {
                nextDue.noLaterThan(failed.delay());
            } else if (settlement instanceof Settlement.Returned) {
                nextDue.noLaterThan(RETURNED_AGAIN);
            }
        }
    }

    @Override
    public @Nullable Duration untilDue() {
        return nextDue.left();
    }

    @Override
    public Optional<CompletableFuture<Settled>> settleBeside(List<Settlement> published) {
        CompletableFuture<Settled> recorded = new CompletableFuture<>();
        recorder.execute(() -> {
            try {
                Settled outcomes =
                        Settled.of(published, besides.call(connection -> rowByRow.settle(connection, published)));
                closedKeys.settled(published);
                recorded.complete(outcomes);
            } catch (Throwable e) {
                // An Error too: the loop waits for an answer.
                recorded.completeExceptionally(e);
            }
        });
        return Optional.of(recorded);
    }

    @Override
    public void bury(List<Settlement.Dead> dead) throws SQLException {
        settled = settled.and(Settled.of(dead, session.call(connection -> rowByRow.bury(connection, dead))));
        closedKeys.settled(dead);
    }

    @Override
    public Settled settled() {
        Settled now = settled;
        settled = NOTHING_SETTLED;
        return now;
    }

    @Override
    public Repaired repair() throws SQLException {
        Repaired repaired = session.call(connection -> {
            int recovered = rowByRow.recoverStalled(connection, REPAIR_LIMIT);
            int released =
                    settings.delivery().ordering() == Ordering.KEY ? closedKeys.release(connection, REPAIR_LIMIT) : 0;
            OutboxStore.Outlook outlook = store.outlook(connection);
            if (outlook.next() != null) {
                // Others may have failed, or been given a time, since; and the database's clock may have been set. What
                // is known already stays: only a claim tells that nothing is due any more.
                nextDue.noLaterThan(outlook.next());
            }
            return new Repaired(recovered, released, outlook.suspects());
        });
        if (repaired.recovered() + repaired.released() > 0) {
            lookFrom.lookEverywhere(System.nanoTime());
        }
        return repaired;
    }

    @Override
    public Released releaseBlocked(ToIntFunction<String> releasable) throws SQLException {
        Released released = session.call(connection -> blocked.release(connection, releasable));
        if (released.events() > 0) {
            lookFrom.lookEverywhere(System.nanoTime());
        }
        return released;
    }

    @Override
    public OutboxStore.Backlog backlog() throws SQLException {
        return session.call(connection -> store.backlog(connection, BACKLOG_CAP));
    }

    /** What is being recorded may come to its end; if the database does not answer, its thread ends with the process. */
    @Override
    public void close() {
        recorder.execute(besides::close);
        recorder.shutdown();
        session.hurry();
        try {
            if (!recorder.awaitTermination(1, TimeUnit.SECONDS)) {
                besides.abort();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        session.close();
    }

    @Override
    public void unblock() {
        session.cut();
    }

    @Override
    public void abandon() {
        recorder.shutdown();
        besides.abort();
        session.abort();
    }
}
