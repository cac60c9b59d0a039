package dev.postrider.internal.relay;

import dev.postrider.BatchReport;
import dev.postrider.Ordering;
import dev.postrider.PostriderException;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.failure.Judgement;
import dev.postrider.internal.lease.Ownership;
import dev.postrider.internal.lifecycle.Progress;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.internal.lifecycle.Wakeup;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a relay on its one thread. Each turn: collect what the publisher has answered → settle
 * it in bulk → repair → fetch the next batch while the last is in flight and the one before is being recorded.
 *
 * <p>No transaction is open while anything waits for the broker, and no send waits for another.
 */
public final class RelayLoop {
    private static final Logger log = LoggerFactory.getLogger(RelayLoop.class);

    /** Outcomes wait at most so long for company. */
    private static final long SETTLE_DELAY = Duration.ofMillis(5).toNanos();

    /** Whether the publisher still answers. */
    private static final long LOOK_INTERVAL = Duration.ofSeconds(1).toNanos();

    private static final long REPAIR_INTERVAL = Duration.ofSeconds(2).toNanos();
    private static final long BACKLOG_INTERVAL = Duration.ofSeconds(10).toNanos();
    private static final long SHORTEST_PAUSE = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

    /** However little there is to do: whoever watches the loop sees it turn. */
    private static final long LONGEST_WAIT = Duration.ofSeconds(5).toNanos();

    /** So long after the drain timeout outcomes may still be recorded. */
    static final Duration LAST_SETTLEMENTS = Duration.ofNanos(LONGEST_PAUSE);

    /** For so many fetches it is believed that there are few keys. */
    private static final int CROWDED_FETCHES = 50;

    private final String name;
    private final RelaySettings settings;
    private final EventSource source;
    private final Publisher publisher;
    private final Ownership ownership;
    private final Circuit circuit;
    private final RelayListener listener;
    private final Judgement judgement;
    private final PollTimer poll;
    private final Progress progress;
    private final Wakeup wakeup = new Wakeup();
    private final InFlight inFlight;
    private final FailureLog failures;
    private final DatabaseErrors databaseErrors;
    private final UnansweredWatch unanswered;
    private final BlockedEvents blocked;

    /** Answered and not yet recorded. */
    private final List<InFlight.Completed> answered = new ArrayList<>();

    /** Answers whose outcomes nobody has been told of: that waits until they are recorded, whatever they are then. */
    private final Map<Long, InFlight.Completed> untold = new HashMap<>();

    /** Deliveries that are being recorded while this thread goes on. */
    private @Nullable Recording recording;

    /** Of events that were fetched and whose outcome the source does not know. */
    private long bytesInHand;

    /** Fetched only to be given up, and not yet buried. */
    private final List<Settlement.Dead> condemned = new ArrayList<>();

    private volatile boolean nudged;

    /** Somebody else has stopped the line. */
    private volatile boolean lineStoppedFromOutside;

    private volatile boolean stopping;
    private volatile long stopDeadline;

    /** The publisher takes nothing until every answer is in: an event failed, or the lease lapsed. */
    private boolean lineStopped;

    /** An event has failed that is not yet settled: what is behind it must not be fetched. */
    private boolean failureUnsettled;

    /** Rows may stand under this relay's name that it does not know of. */
    private boolean ownerInDoubt;

    /** As long as this is above zero, events are fetched only when the last ones have been recorded. */
    private int crowded;

    /** There are events that relays have died with: they are sent with nothing beside them, in turn with the others. */
    private boolean careful;

    /** Whose turn it is: before a suspect may end this relay, others are delivered and recorded. */
    private boolean suspectsTurn;

    private long pausedUntil = System.nanoTime();
    private long pause;
    private long nextRepair = System.nanoTime();
    private long nextLook = System.nanoTime();
    private long nextBacklog = System.nanoTime();

    public RelayLoop(
            RelaySettings settings,
            EventSource source,
            Publisher publisher,
            Ownership ownership,
            Circuit circuit,
            RelayListener listener) {
        this(settings, source, publisher, ownership, circuit, listener, new Progress());
    }

    /**
     * @param progress shows whoever watches that the loop turns
     */
    public RelayLoop(
            RelaySettings settings,
            EventSource source,
            Publisher publisher,
            Ownership ownership,
            Circuit circuit,
            RelayListener listener,
            Progress progress) {
        this.progress = progress;
        this.name = settings.name();
        this.settings = settings;
        this.source = source;
        this.publisher = publisher;
        this.ownership = ownership;
        this.circuit = circuit;
        this.listener = listener;
        this.judgement =
                new Judgement(name, settings.retry().policy(), settings.retry().countOutages());
        this.poll =
                new PollTimer(settings.polling().interval(), settings.polling().mode(), System::nanoTime);
        this.failures = new FailureLog(name);
        this.databaseErrors = new DatabaseErrors(name, System::nanoTime);
        this.unanswered = new UnansweredWatch(name, settings.timeouts().noAnswer(), listener);
        this.inFlight =
                new InFlight(publisher, settings.delivery().ordering() == Ordering.KEY, progress::step, wakeup::signal);
        this.blocked = new BlockedEvents(publisher, source, listener);
        publisher.onRelease(() -> {
            blocked.lookSoon();
            wakeup.signal();
        });
    }

    /** Something may have been committed: look at once. Any thread. */
    public void nudge() {
        nudged = true;
        wakeup.signal();
    }

    /** Publishes nothing more until everything in flight has been answered. Any thread, at once. */
    public void haltNow() {
        // In this order: the loop resumes the line as soon as it knows.
        inFlight.halt();
        publisher.halt();
        lineStoppedFromOutside = true;
        wakeup.signal();
    }

    /** Fetches no more, waits for what is in flight, at most the drain timeout, and ends. Any thread. */
    public void stop() {
        stopDeadline = System.nanoTime() + settings.timeouts().drain().toNanos();
        stopping = true;
        wakeup.signal();
    }

    Wakeup wakeup() {
        return wakeup;
    }

    Progress progress() {
        return progress;
    }

    String circuit() {
        return circuit.state().label();
    }

    Circuit circuitInUse() {
        return circuit;
    }

    Duration drainTimeout() {
        return settings.timeouts().drain();
    }

    /** One turn, as {@link Service.Pass}. */
    long pass() throws SQLException {
        if (finished()) {
            return Service.END;
        }
        progress.step();
        turn();
        return Math.min(LONGEST_WAIT, nanosToWait());
    }

    /**
     * After a turn that has failed. An {@code Error} is nothing that a loop goes on after.
     *
     * @return how long to wait before the next
     */
    long goOnAfter(Exception e) {
        if (e instanceof SQLException database) {
            return pauseAfterError(database);
        }
        recoverFrom(e instanceof RuntimeException unexpected ? unexpected : new IllegalStateException(e));
        return pause;
    }

    /** How long the oldest event has been without an answer, if that is too long. Any thread. */
    @Nullable
    Duration noAnswerFor() {
        return unanswered.age(System.nanoTime());
    }

    /** How many events the publisher has not answered. Any thread. */
    int unanswered() {
        return inFlight.unanswered();
    }

    /** What was being done is unknown now: everything in flight is given up and fetched again under a new name. */
    private void recoverFrom(RuntimeException e) {
        if (!ownership.isNews(e.toString())) {
            log.debug("[{}] the same error again, the relay starts over", name, e);
        } else if (e instanceof PostriderException) {
            log.error("[{}] {}", name, e.getMessage());
        } else {
            log.error("[{}] unexpected error, the relay starts over", name, e);
        }
        ownerInDoubt = true;
        // Of a fetch that broke off nobody knows which of its trials were sent.
        circuit.forgetTrials();
        halt();
        pauseFetching();
    }

    private boolean finished() {
        // Past the deadline the database has had its chance; the lease brings back what was not recorded.
        return stopping && (inHand() == 0 || System.nanoTime() - stopDeadline > LONGEST_PAUSE);
    }

    /**
     * Sends one batch and waits until all of it is settled: the relay without its thread, for tests
     * and for those who schedule it themselves.
     */
    public BatchReport runOnce() throws SQLException, InterruptedException {
        Tally tally = new Tally();
        collect();
        resumePublisher();
        if (!ownership.isPaused()) {
            fetch(tally);
        }
        while (inHand() > 0) {
            collect();
            if (inFlight.size() == 0) {
                settle(tally);
                resumePublisher();
            } else {
                wakeup.await(SETTLE_DELAY);
            }
        }
        repair(tally);
        releaseBlocked();
        return tally.report();
    }

    private void turn() throws SQLException {
        collect();
        if (stopping && inFlight.size() > 0 && System.nanoTime() - stopDeadline > 0) {
            halt("not everything in flight was answered before the stop's deadline");
        } else if (!ownership.holds() && !ownerInDoubt) {
            ownerInDoubt = true;
            halt("the lease expired; others may take over what is in flight");
        } else if (source.isLineToBeStopped()) {
            halt("not everything in flight was answered before a shard had to be handed over");
        }
        if (System.nanoTime() - nextLook >= 0) {
            nextLook = System.nanoTime() + LOOK_INTERVAL;
            if (inFlight.size() > 0) {
                publisher.expireOverdue();
            }
            unanswered.look(inFlight.handedOver(), System.nanoTime());
        }
        finishRecording();
        if (shouldSettle() && !settleBeside()) {
            settle(new Tally());
        }
        resumePublisher();
        if (System.nanoTime() - nextRepair >= 0) {
            repair(new Tally());
        }
        releaseBlocked();
        if (shouldFetch()) {
            fetch(new Tally());
        }
    }

    private void releaseBlocked() throws SQLException {
        if (blocked.isDue() && !ownership.isPaused() && blocked.release() > 0) {
            poll.lookAtOnce();
        }
    }

    private void collect() {
        if (lineStoppedFromOutside) {
            lineStoppedFromOutside = false;
            lineStopped = true;
        }
        if (ownership.isPaused() && !source.isTransactional()) {
            // Before the rest, so that it is settled before anything else is fetched. A transaction that has begun goes
            // on instead: it is delivered as a whole, or not at all.
            inFlight.giveBackUnsent();
            publisher.returnUnstarted();
        }
        List<InFlight.Completed> completed = inFlight.collect();
        answered.addAll(completed);
        boolean wasOpen = circuit.state() == Circuit.State.OPEN;
        for (InFlight.Completed one : completed) {
            circuit.record(one.result(), one.handedOverNanos(), one.atNanos());
            if (!(one.result() instanceof PublishResult.Accepted)) {
                failureUnsettled = true;
                // A blocked event was not sent, nor were those behind it: they say nothing of those that were.
                lineStopped |= (publisher.stopsAtFailure() || inFlight.hasFollowers())
                        && one.handedOver()
                        && !one.refusedAlone()
                        && !(one.result() instanceof PublishResult.Blocked);
            }
        }
        if (!wasOpen && circuit.state() == Circuit.State.OPEN) {
            completed.stream()
                    .filter(one -> !(one.result() instanceof PublishResult.Accepted))
                    .mapToLong(one -> one.stored().claim().id())
                    .min()
                    .ifPresent(id -> log.warn(
                            "[{}] the batch stopped at row {}: the circuit opened. It and what is behind it wait in the"
                                    + " outbox",
                            name,
                            id));
        }
        if (lineStopped) {
            inFlight.giveUpWaiting();
        }
    }

    private void halt(String why) {
        if (!lineStopped) {
            log.warn("[{}] sending stops: {}", name, why);
        }
        halt();
    }

    private void halt() {
        lineStopped = true;
        inFlight.halt();
        publisher.halt();
    }

    private boolean shouldSettle() {
        if (recording != null || source.isTransactional() && inFlight.size() > 0) {
            return false;
        }
        return !condemned.isEmpty()
                || !answered.isEmpty()
                        && (inFlight.size() == 0
                                || answered.size() * 2 >= settings.batch().size()
                                || System.nanoTime() - answered.get(0).atNanos() >= SETTLE_DELAY);
    }

    private record Recording(List<InFlight.Completed> answers, CompletableFuture<EventSource.Settled> recorded) {}

    /**
     * Deliveries, by far the most frequent outcome, are recorded while the next events are fetched. Whatever else there is
     * waits for its turn.
     *
     * @return false if that is not possible
     */
    private boolean settleBeside() {
        boolean delivered = answered.stream().allMatch(one -> one.result() instanceof PublishResult.Accepted);
        if (!delivered || !condemned.isEmpty()) {
            return false;
        }
        Optional<CompletableFuture<EventSource.Settled>> begun = source.settleBeside(answered.stream()
                .map(one -> judgement.of(one.stored(), one.result(), false))
                .toList());
        if (begun.isEmpty()) {
            return false;
        }
        recording = new Recording(List.copyOf(answered), begun.get());
        answered.forEach(this::toTell);
        answered.clear();
        begun.get().whenComplete((recorded, error) -> wakeup.signal());
        return true;
    }

    private void finishRecording() throws SQLException {
        Recording ended = recording;
        if (ended == null || !ended.recorded().isDone()) {
            return;
        }
        recording = null;
        EventSource.Settled settled;
        try {
            settled = ended.recorded().join();
        } catch (CompletionException e) {
            // To be recorded again, before what has been answered since.
            answered.addAll(0, ended.answers());
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
        ended.answers().forEach(one -> bytesInHand -= one.stored().bytes());
        tell(settled, new Tally());
        pause = 0;
        poll.settled();
    }

    /** Deaths after the rest and apart from it, so that after an error nothing is recorded twice. */
    private void settle(Tally tally) throws SQLException {
        boolean outage = circuit.state() == Circuit.State.OPEN;
        List<Settlement> living = new ArrayList<>();
        List<Settlement.Dead> dead = new ArrayList<>();
        List<InFlight.Completed> answeredByDead = new ArrayList<>();
        for (InFlight.Completed one : answered) {
            toTell(one);
            Settlement settlement = judgement.of(one.stored(), one.result(), outage);
            if (settlement instanceof Settlement.Dead death && !source.isTransactional()) {
                dead.add(death);
                answeredByDead.add(one);
            } else {
                living.add(settlement);
            }
        }
        if (!living.isEmpty()) {
            source.settle(living);
            tell(source.settled(), tally);
        }
        letGoOfAnswers();
        for (InFlight.Completed one : answeredByDead) {
            answered.add(one);
            bytesInHand += one.stored().bytes();
        }
        if (!dead.isEmpty()) {
            source.bury(dead);
            tell(source.settled(), tally);
        }
        letGoOfAnswers();
        if (!condemned.isEmpty()) {
            source.bury(condemned);
            condemned.clear();
            tell(source.settled(), tally);
        }
        failureUnsettled = false;
        pause = 0;
        poll.settled();
    }

    /** Not only when they are told of: that may take until an earlier event is sent, which is to be fetched for it. */
    private void letGoOfAnswers() {
        answered.forEach(one -> bytesInHand -= one.stored().bytes());
        answered.clear();
    }

    private void toTell(InFlight.Completed answer) {
        untold.put(answer.stored().claim().id(), answer);
    }

    /** Of what is recorded, and of nothing else. */
    private void tell(EventSource.Settled settled, Tally tally) {
        for (Settlement settlement : settled.recorded()) {
            progress.step();
            InFlight.Completed answer = release(settlement.claim().id());
            if (answer != null) {
                tell(answer, settlement, tally);
            } else if (settlement instanceof Settlement.Dead dead) {
                tally.dead++;
                log.error("[{}] row {} is a dead letter: {}", name, dead.claim().id(), dead.error());
                tellDead(dead);
            }
            if (settlement.claim().attempts() > 0 || settlement instanceof Settlement.Dead) {
                // Its key may be open now.
                nextRepair = System.nanoTime();
            }
        }
        settled.lost().forEach(this::release);
        tellFenced(settled.lost().size(), tally);
    }

    private InFlight.@Nullable Completed release(long id) {
        return untold.remove(id);
    }

    private void tellFenced(int fenced, Tally tally) {
        if (fenced > 0) {
            log.warn(
                    "[{}] {} outcomes were not recorded: other relays have taken over these events, or will",
                    name,
                    fenced);
            listener.fenced(fenced);
            tally.fenced += fenced;
        }
    }

    private void tell(InFlight.Completed one, Settlement settlement, Tally tally) {
        StoredEvent stored = one.stored();
        if (settlement instanceof Settlement.Published) {
            tally.published++;
            listener.published(stored.event(), latency(one));
        } else if (settlement instanceof Settlement.Failed failed) {
            tally.failed++;
            failures.add(stored.event().id(), failed);
            listener.failed(stored.event(), failed.error(), failed.counted());
        } else if (settlement instanceof Settlement.Blocked waits) {
            tally.blocked++;
            log.debug("[{}] event {} waits for {}", name, stored.event().id(), waits.destination());
        } else if (settlement instanceof Settlement.Dead dead) {
            tally.dead++;
            log.error(
                    "[{}] event {} of type {} is a dead letter (row {}): {}",
                    name,
                    stored.event().id(),
                    stored.event().type(),
                    dead.claim().id(),
                    dead.error());
            listener.failed(stored.event(), dead.error(), true);
            tellDead(dead);
        } else {
            tally.returned++;
        }
    }

    private void tellDead(Settlement.Dead dead) {
        if (dead.errorClass().equals(Settlement.Dead.INTEGRITY)) {
            listener.integrityFailure(dead.claim().id());
        }
        listener.dead(dead.claim().id(), dead.error());
    }

    /** Insert to claim by the database's clock, claim to acknowledgement by this machine's monotonic one. */
    private static Duration latency(InFlight.Completed one) {
        return one.stored().claim().age().plusNanos(one.atNanos() - one.stored().fetchedAtNanos());
    }

    /** Only when every answer is in can nothing of a failed key slip through. */
    private void resumePublisher() throws SQLException {
        if (inHand() > 0) {
            return;
        }
        bytesInHand = 0;
        if (ownerInDoubt && !stopping) {
            source.startOver();
            ownership.replace();
            ownerInDoubt = false;
            log.info("[{}] goes on as {}", name, ownership.owner());
        }
        if (lineStopped) {
            inFlight.resume();
            publisher.resume();
            lineStopped = false;
        }
    }

    private void repair(Tally tally) throws SQLException {
        nextRepair = System.nanoTime() + REPAIR_INTERVAL;
        if (!ownership.holds()) {
            // What this relay has in hand would look like the events of a dead one.
            return;
        }
        EventSource.Repaired repaired = source.repair();
        noteReached();
        // Some outcomes can be recorded only when others are known.
        tell(source.settled(), tally);
        if (repaired.recovered() > 0) {
            log.warn("[{}] {} events claimed by a dead relay were put back", name, repaired.recovered());
            listener.recovered(repaired.recovered());
        }
        careful |= repaired.suspects();
        if (repaired.recovered() + repaired.released() > 0) {
            poll.lookAtOnce();
        }
        if (System.nanoTime() - nextBacklog >= 0) {
            nextBacklog = System.nanoTime() + BACKLOG_INTERVAL;
            Backlog backlog = source.backlog();
            listener.backlog(backlog.count(), backlog.oldest());
        }
    }

    private boolean shouldFetch() {
        return mayFetch() && System.nanoTime() - pausedUntil >= 0 && (nudged || poll.nanosLeft(source.untilDue()) <= 0);
    }

    private boolean mayFetch() {
        int tolerated = crowded > 0 ? 0 : recording();
        boolean room = careful || source.isTransactional()
                ? inHand() == 0
                : inHand() - tolerated <= settings.batch().size()
                        && bytesInHand <= settings.batch().maxBytes();
        return room && !stopping && !lineStopped && !failureUnsettled && !ownerInDoubt && !ownership.isPaused();
    }

    private int inHand() {
        return inFlight.size() + answered.size() + condemned.size() + recording();
    }

    private int recording() {
        return recording == null ? 0 : recording.answers().size();
    }

    private void fetch(Tally tally) throws SQLException {
        boolean suspects = careful && suspectsTurn;
        int permits = circuit.permits(settings.batch().size());
        if (permits == 0) {
            pausedUntil = System.nanoTime() + SHORTEST_PAUSE;
            return;
        }
        // Not before: whoever called is heard when the circuit closes.
        nudged = false;
        boolean trial = circuit.state() == Circuit.State.HALF_OPEN
                && inFlight.hasSeveralDestinations()
                && !suspects
                && !source.isTransactional();
        int wanted = trial ? Math.min(settings.batch().size(), permits * Trials.SPREAD) : permits;
        EventSource.Fetched fetched;
        try {
            fetched = suspects
                    ? source.fetchSuspects(permits, settings.batch().maxBytes())
                    : source.fetch(wanted, settings.batch().maxBytes());
        } catch (SQLException | RuntimeException e) {
            ownerInDoubt |= source.isInDoubt();
            circuit.giveBack(permits);
            throw e;
        }
        tell(source.settled(), tally);
        Set<Long> trials = trial ? Trials.choose(fetched.events(), permits, inFlight::destinationOf) : Set.of();
        circuit.giveBack(permits - (trial ? trials.size() : fetched.events().size()));
        noteReached();
        pause = 0;
        databaseErrors.none();
        if (suspects) {
            careful = !(fetched.events().isEmpty() && fetched.unsendable().isEmpty());
        } else {
            poll.fetched(fetched);
            crowded = fetched.crowded() ? CROWDED_FETCHES : Math.max(0, crowded - 1);
        }
        suspectsTurn = !suspects;
        if (suspects || careful) {
            poll.lookAtOnce();
        }
        tally.fetched += fetched.events().size();
        condemned.addAll(fetched.unsendable());
        boolean late = false;
        for (StoredEvent event : fetched.events()) {
            // Once too late, all of the rest: the lease may be renewed at any moment, and nothing may be left out
            // between.
            late |= !ownership.holds();
            bytesInHand += event.bytes();
            if (trial && !trials.contains(event.claim().id())) {
                // Not needed to find out whether the cluster takes events again.
                failureUnsettled = true;
                answered.add(new InFlight.Completed(event, new PublishResult.Unresolved(), System.nanoTime()));
            } else if (!late) {
                inFlight.add(event);
            } else {
                // Too late to send: somebody else may be doing so.
                failureUnsettled = true;
                circuit.giveBack(1);
                answered.add(new InFlight.Completed(event, new PublishResult.Unresolved(), System.nanoTime()));
            }
        }
        boolean moreAtOnce = fetched.more() && !careful && !source.isTransactional();
        if (!moreAtOnce && !fetched.events().isEmpty()) {
            publisher.flush();
        }
    }

    /** A destination is taken over also while the circuit is open, so that it is known early when it is back. */
    private void noteReached() {
        EventSource.Reached reached = source.reached();
        if (reached == null) {
            return;
        }
        if (reached.problem() == null) {
            circuit.reached();
        } else {
            circuit.unreachable();
        }
    }

    private void pauseFetching() {
        pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, pause * 2));
        pausedUntil = System.nanoTime() + pause;
    }

    /**
     * @return how long to wait
     */
    private long pauseAfterError(SQLException e) {
        databaseErrors.failed(e);
        pauseFetching();
        return Math.min(pause, SHORTEST_PAUSE * 5);
    }

    private long nanosToWait() {
        long now = System.nanoTime();
        long wait = nextRepair - now;
        if (!ownership.isPaused()) {
            wait = Math.min(wait, blocked.nanosLeft(now));
        }
        if (!answered.isEmpty() && recording == null && !(source.isTransactional() && inFlight.size() > 0)) {
            wait = Math.min(wait, SETTLE_DELAY - (now - answered.get(0).atNanos()));
        }
        if (stopping) {
            return Math.min(wait, Math.max(SETTLE_DELAY, stopDeadline - now));
        }
        if (mayFetch()) {
            wait = Math.min(wait, Math.max(nudged ? 0 : poll.nanosLeft(source.untilDue()), pausedUntil - now));
        }
        return wait;
    }

    /** What one pass did, while it is counted. */
    static final class Tally {
        int fetched;
        int published;
        int failed;
        int blocked;
        int dead;
        int returned;
        int fenced;

        void add(BatchReport other) {
            fetched += other.fetched();
            published += other.published();
            failed += other.failed();
            blocked += other.blocked();
            dead += other.dead();
            returned += other.returned();
            fenced += other.fenced();
        }

        BatchReport report() {
            return new BatchReport(fetched, published, failed, blocked, dead, returned, fenced);
        }
    }
}
