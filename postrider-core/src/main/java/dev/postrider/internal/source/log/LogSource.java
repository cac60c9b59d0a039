package dev.postrider.internal.source.log;

import dev.postrider.PostriderException;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.failure.DeadLetterSettings;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.lease.HeldShards;
import dev.postrider.internal.source.CarefulBatches;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.source.NextDue;
import dev.postrider.internal.store.OutboxStore.Backlog;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SqlErrors;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cluster;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.Snapshot;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.TransactionalPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads an outbox as a log: the events of the shards this relay holds, in windows between two whole snapshots, by id.
 * Nothing is written for an event that is delivered but the cursor, now and then.
 *
 * <p>Taking a shard over: 1. the lease is taken, by {@code ShardLeases}; 2. a fence row is added to the cursor; 3. the
 * position is read; 4. closed keys are loaded; 5. reading begins. Every later row of the cursor needs the number after
 * the one this relay knows: whoever lost the shard finds it taken, and drops the shard.
 */
public final class LogSource implements EventSource {
    private static final Logger log = LoggerFactory.getLogger(LogSource.class);

    /** The cursor is recorded so often while events flow. A crash repeats what was sent since. */
    private static final long RECORD_INTERVAL = Duration.ofMillis(50).toNanos();

    /** So many events may be read ahead of one that takes long. */
    private static final int MAX_AHEAD = 100_000;

    /** So many failed events, which are kept in memory, may wait for an earlier one that takes long; and a batch's bytes. */
    private static final int MAX_WAITING = 2_000;

    /** So many new ids make it worthwhile to note where the next window's scan may begin. */
    private static final long MARK_DISTANCE = 10_000;

    /** So many due events of each shard are looked at together. */
    private static final int DUE_LIMIT = 200;

    /** If events of a key go one at a time, a key has at most this part of a batch in hand. */
    private static final int SHARE_OF_A_KEY = 10;

    private static final int FEW_OF_A_KEY = 5;

    private static final int KEYS_AT_A_TIME = 50;
    private static final int QUEUE_PAGE = 200;
    private static final int MOST_TO_RETRY = 1 << 20;
    private static final int BACKLOG_CAP = 100_000;

    /** Give up after this many relay deaths with an event and nothing else in hand. */
    private static final int DEATHS_TO_GIVE_UP = 5;

    /** Reading the destination's positions to their end. */
    private static final Duration LONGEST_TAKE_OVER = Duration.ofSeconds(60);

    private final LogStore store;
    private final RelaySession session;
    private final HeldShards leases;
    private final Supplier<String> owner;
    private final RelaySettings settings;
    private final DeadLetters deadLetters;
    private final boolean oneOfAKey;
    private final Shard.Ways ways;
    private final @Nullable ExactlyOnce exactlyOnce;
    private final Map<Integer, Shard> shards = new TreeMap<>();
    private final Marks marks = new Marks();
    private final EndOfLog end;
    private final ReadAhead readAhead;
    private final Outcomes outcomes = new Outcomes();
    private final Attempts attempts;
    private final RelayListener listener;
    private final BlockedRows blocked;

    /** Shards that relays have died with. */
    private final Map<Integer, Care> careful = new TreeMap<>();

    /** The fence rows of shards that could not be taken over from the destination. */
    private final Map<Integer, Cursor> unusedFences = new TreeMap<>();

    private @Nullable Cluster cluster;
    private long recordedAt = System.nanoTime();
    private final NextDue nextDue = new NextDue();

    /** About how many events beside the log fit into a batch. */
    private int fitting = MOST_TO_RETRY;

    private int turn;

    /** Events beside the log have just left it no room. */
    private boolean isTurnOfTheLog;

    /** Delivers at least once. */
    public static LogSource atLeastOnce(Parts parts) {
        return new LogSource(parts, null);
    }

    /**
     * Delivers exactly once the events of the one shard that is held.
     *
     * @param line the publisher of the same relay loop
     * @param timeout of the line's transactions
     */
    public static LogSource exactlyOnce(Parts parts, TransactionalPublisher line, Duration timeout) {
        return new LogSource(parts, new ExactlyOnce(parts.settings().name(), parts.store(), line, timeout));
    }

    /**
     * What a source is made of.
     *
     * @param session for this source alone
     * @param shards which it may read
     * @param owner the relay's current name
     * @param attempts shared by all sources of the relay
     * @param listener is told of a fail-over
     * @param oneOfAKey whether the destination gets one event of a key at a time, so that a key with many takes long
     */
    public record Parts(
            LogStore store,
            RelaySession session,
            HeldShards shards,
            Supplier<String> owner,
            RelaySettings settings,
            DeadLetters deadLetters,
            Attempts attempts,
            RelayListener listener,
            boolean oneOfAKey) {}

    private LogSource(Parts parts, @Nullable ExactlyOnce exactlyOnce) {
        this.store = parts.store();
        this.session = parts.session();
        this.leases = parts.shards();
        this.owner = parts.owner();
        this.settings = parts.settings();
        this.deadLetters = parts.deadLetters();
        this.attempts = parts.attempts();
        this.listener = parts.listener();
        this.exactlyOnce = exactlyOnce;
        this.oneOfAKey = parts.oneOfAKey();
        this.ways = new Shard.Ways(
                settings.deadLetters().then() == DeadLetterSettings.Then.HOLD_KEY,
                exactlyOnce != null,
                oneOfAKey ? shareOfAKey() : Integer.MAX_VALUE);
        this.readAhead = new ReadAhead(settings.name(), session::awaitCall);
        this.end = new EndOfLog(settings.name(), store);
        this.blocked = new BlockedRows(store);
        session.onOpen(this::greet);
    }

    // ---- the same database as before?

    private void greet(Connection connection) throws SQLException {
        store.prepareSession(connection);
        store.check(connection);
        cluster = store.cluster(connection);
        // The server may have crashed meanwhile, or another one stand in its place. Either gives out again numbers and
        // ids that were not yet durable, so what is remembered of them is worth nothing: the cursors say where to
        // begin.
        shards.clear();
        careful.clear();
        marks.clear();
        end.forget();
        readAhead.forget();
    }

    private Cluster cluster() {
        Cluster known = cluster;
        if (known == null) {
            throw new IllegalStateException("no connection was opened");
        }
        return known;
    }

    // ---- fetching

    @Override
    public Fetched fetch(int maxEvents, long maxBytes) throws SQLException {
        if (exactlyOnce == null) {
            return fetchUpTo(maxEvents, maxBytes);
        }
        TransactionSize size = exactlyOnce.size();
        Fetched fetched = fetchUpTo(size.events(maxEvents), size.bytes(maxBytes));
        size.begin(fetched.events(), fetched.more());
        return fetched;
    }

    private Fetched fetchUpTo(int maxEvents, long maxBytes) throws SQLException {
        Fetched fetched = call(connection -> {
            followLeases(connection);
            if (isRecordingDue()) {
                record(connection);
            }
            boolean looked = lookForDue(connection);
            List<StoredEvent> events = new ArrayList<>();
            List<Settlement.Dead> unsendable = new ArrayList<>();
            if (!isTurnOfTheLog) {
                // Not all of it: many may have been released together, and events of the log go on beside them.
                int most = Math.min(Math.max(1, maxEvents / 2), roomToRetry());
                retry(connection, carefree(), most, maxBytes / 2, events, unsendable);
            }
            long retried = bytes(events);
            // Even half of it can be all of it, if events are large or may be sent only one by one.
            isTurnOfTheLog = events.size() >= maxEvents || retried >= maxBytes;
            if (!isTurnOfTheLog) {
                read(connection, carefree(), maxEvents, maxBytes - retried, unsendable);
                handOut(carefree(), maxEvents, maxBytes, events);
            }
            if (shards.values().stream().anyMatch(Shard::isScheduledNext)) {
                record(connection);
                lookForDue(connection);
            } else if (events.isEmpty() && unsendable.isEmpty() && !looked) {
                // Somebody called, and not because of new events: operators do when they request something.
                nextDue.noLaterThan(Duration.ZERO);
                lookForDue(connection);
            }
            boolean full = carefree().stream().anyMatch(shard -> shard.isReading() && !hasRoom(shard));
            boolean room = roomToRetry() > 0;
            boolean more = carefree().stream()
                    .anyMatch(shard -> !shard.wantsPage() && !shard.isLeaving()
                            || shard.isReading() && hasRoom(shard)
                            || room && shard.gate().hasReady());
            return new Fetched(events, unsendable, more, full);
        });
        readOn(maxEvents, maxBytes);
        return fetched;
    }

    private static long bytes(List<StoredEvent> events) {
        return events.stream().mapToLong(StoredEvent::bytes).sum();
    }

    private <T extends @Nullable Object> T call(RelaySession.Work<T> work) throws SQLException {
        readAhead.finish();
        return session.call(work);
    }

    private void run(RelaySession.Action action) throws SQLException {
        readAhead.finish();
        session.run(action);
    }

    /** One of those that are read from here. */
    private Shard open(int number) {
        return Objects.requireNonNull(shards.get(number));
    }

    /** Those that are read as usual, but for the events that are to be sent alone. The others wait for {@link #fetchSuspects}. */
    private List<Shard> carefree() {
        return shards.values().stream()
                .filter(shard -> {
                    Care care = careful.get(shard.number());
                    return care == null || care.isAside();
                })
                .toList();
    }

    private void read(
            Connection connection, List<Shard> from, int maxEvents, long maxBytes, List<Settlement.Dead> unsendable)
            throws SQLException {
        List<Shard> wanting = from.stream().filter(this::wantsPage).toList();
        if (wanting.isEmpty()) {
            return;
        }
        Snapshot end = Snapshot.parse(markedHead(connection).snapshot());
        List<LogStore.PageRequest> missing = new ArrayList<>();
        for (Shard shard : wanting) {
            LogStore.PageRequest request = shard.nextPage(end, marks);
            LogStore.Page page = request == null ? null : readAhead.take(request);
            if (page != null) {
                shard.read(page, unsendable);
            } else if (request != null) {
                missing.add(request);
            }
        }
        readAhead.forget();
        long room = maxBytes - waitingBytes();
        if (!missing.isEmpty() && room > 0) {
            Map<Integer, LogStore.Page> pages = readPages(connection, missing, maxEvents, room);
            for (LogStore.PageRequest request : missing) {
                open(request.shard()).read(pages.getOrDefault(request.shard(), LogStore.Page.EMPTY), unsendable);
            }
        }
        marks.keepFor(shards.values().stream().map(Shard::lo).toList());
    }

    private Map<Integer, LogStore.Page> readPages(
            Connection connection, List<LogStore.PageRequest> requests, int maxEvents, long maxBytes)
            throws SQLException {
        int pages = requests.size();
        return store.read(connection, requests, Math.max(1, maxEvents / pages), limits(maxBytes));
    }

    private LogStore.Bytes limits(long maxBytes) {
        return new LogStore.Bytes(maxBytes, settings.batch().maxEventBytes());
    }

    /**
     * What the next fetch will want is read while the events of this one are sent. With exactly once every shard has its
     * loop and they read while others send; reading ahead as well would only double the events held in memory.
     */
    private void readOn(int maxEvents, long maxBytes) {
        if (exactlyOnce != null) {
            return;
        }
        List<LogStore.PageRequest> requests = new ArrayList<>();
        for (Shard shard : carefree()) {
            LogStore.PageRequest request = wantsPage(shard) ? shard.nextPageOfWindow(marks) : null;
            if (request != null) {
                requests.add(request);
            }
        }
        long room = maxBytes - waitingBytes();
        if (!requests.isEmpty() && room > 0) {
            readAhead.begin(
                    requests, () -> session.call(connection -> readPages(connection, requests, maxEvents, room)));
        }
    }

    /** Of events that were read and have not been handed out. */
    private long waitingBytes() {
        return shards.values().stream().mapToLong(Shard::waitingBytes).sum();
    }

    private boolean wantsPage(Shard shard) {
        Care care = careful.get(shard.number());
        // With care little is read at a time, and what other shards have waiting must not look like the end of this
        // one.
        boolean withCare = care != null && !care.isAside();
        return shard.wantsPage() && (withCare || hasRoom(shard));
    }

    /** If not, only answers to what is in flight make more. */
    private boolean hasRoom(Shard shard) {
        return shard.ahead() < MAX_AHEAD
                && outcomes.waiting() < MAX_WAITING
                && outcomes.waitingBytes() < settings.batch().maxBytes();
    }

    /** When much has been written since, the end of the log is taken behind a mark, so that the next scan begins there. */
    private LogStore.Head markedHead(Connection connection) throws SQLException {
        LogStore.Head head = end.look(connection);
        long floor = Math.max(0, marks.floorOf(Snapshot.parse(head.snapshot()).end()));
        if (head.lastId() - floor > MARK_DISTANCE) {
            marks.add(store.mark(connection), head.lastId());
            head = end.look(connection);
        }
        return head;
    }

    /** What has been read may be more than is wanted now: a transaction was undone, and is to be smaller. */
    private void handOut(List<Shard> inTurn, int maxEvents, long maxBytes, List<StoredEvent> events) {
        long bytes = bytes(events);
        boolean handsFull = shards.values().stream().mapToInt(Shard::behind).sum() >= MAX_WAITING
                || shards.values().stream().mapToLong(Shard::behindBytes).sum()
                        >= settings.batch().maxBytes() / 2;
        for (int i = 0; i < inTurn.size(); i++) {
            Shard shard = inTurn.get(Math.floorMod(turn + i, inTurn.size()));
            if (handsFull) {
                shard.setBusyKeysAside();
            }
            StoredEvent event;
            while (events.size() < maxEvents
                    && bytes < maxBytes
                    && !shard.isLeaving()
                    && (event = shard.nextToSend()) != null) {
                events.add(event);
                bytes += event.bytes();
            }
        }
        turn++;
    }

    // ---- events beside the log

    private boolean lookForDue(Connection connection) throws SQLException {
        if (shards.isEmpty() || !nextDue.isReached()) {
            return false;
        }
        // What is in flight is met again until its end is recorded, and must not be in the way of the rest.
        Map<Integer, Integer> limits = new TreeMap<>();
        shards.values().forEach(shard -> limits.put(shard.number(), DUE_LIMIT + shard.retrying()));
        LogStore.Due due = store.due(connection, limits);
        Map<Integer, Integer> found = new TreeMap<>();
        for (LogStore.Parked parked : due.parked()) {
            open(parked.shard()).due(parked);
            found.merge(parked.shard(), 1, Integer::sum);
        }
        boolean more =
                limits.entrySet().stream().anyMatch(limit -> found.getOrDefault(limit.getKey(), 0) >= limit.getValue());
        nextDue.set(more ? Duration.ZERO : due.next());
        if (!due.parked().isEmpty()) {
            record(connection);
        }
        return true;
    }

    /** Also when a closed key may go on: what it waited for has been recorded. */
    @Override
    public @Nullable Duration untilDue() {
        boolean room = roomToRetry() > 0;
        boolean ready = carefree().stream()
                .anyMatch(shard ->
                        !shard.isLeaving() && (room && shard.gate().hasReady() || oneOfAKey && shard.hasNext()));
        return ready ? Duration.ZERO : nextDue.left();
    }

    /** Of each shard its part, of a later one also what earlier ones do not need; each shard is the first in its turn. */
    private List<LogStore.QueueRequest> keysToRetry(List<Shard> of, int maxEvents) {
        List<LogStore.QueueRequest> keys = new ArrayList<>();
        int most = Math.min(Math.max(KEYS_AT_A_TIME, maxEvents), fitting);
        for (int i = 0; i < of.size(); i++) {
            Shard shard = of.get(Math.floorMod(turn + i, of.size()));
            int part = (most - keys.size()) / (of.size() - i);
            if (!shard.isLeaving()) {
                Care care = careful.get(shard.number());
                for (Long key :
                        shard.gate().readyKeys(Math.max(1, part), key -> care == null || !care.isSuspect(key))) {
                    keys.add(new LogStore.QueueRequest(shard.number(), key));
                }
            }
        }
        return keys;
    }

    private int shareOfAKey() {
        int batch = settings.batch().size();
        return Math.max(batch / SHARE_OF_A_KEY, Math.min(FEW_OF_A_KEY, (batch + 1) / 2));
    }

    /** Of many large events each has to be unpacked to know its size, also those that do not fit: so not many more are asked for. */
    private void learnWhatFits(int asked, List<LogStore.Queue> queues, long maxBytes) {
        int rows = 0;
        long bytes = 0;
        for (LogStore.Queue queue : queues) {
            for (LogStore.Row row : queue.rows()) {
                rows++;
                bytes += row.event() == null ? 0 : row.event().bytes();
            }
        }
        boolean full = queues.size() < asked || bytes > maxBytes / 2;
        fitting = full ? Math.max(1, 2 * rows) : Math.min(MOST_TO_RETRY, 2 * fitting);
    }

    /** If keys can take long, what waits beside the log gets half of the relay's hand, however much of it is ready. */
    private int roomToRetry() {
        if (!oneOfAKey) {
            return Integer.MAX_VALUE;
        }
        int retrying = shards.values().stream().mapToInt(Shard::retrying).sum();
        return Math.max(1, settings.batch().size() / 2) - retrying;
    }

    private void retry(
            Connection connection,
            List<Shard> of,
            int maxEvents,
            long maxBytes,
            List<StoredEvent> events,
            List<Settlement.Dead> unsendable)
            throws SQLException {
        List<LogStore.QueueRequest> keys = maxEvents > 0 ? keysToRetry(of, maxEvents) : List.of();
        if (keys.isEmpty()) {
            return;
        }
        int page = oneOfAKey ? shareOfAKey() : QUEUE_PAGE;
        int perKey = Math.max(1, Math.min(page, Math.min(maxEvents, fitting) / keys.size()));
        List<LogStore.Queue> queues = store.queues(connection, keys, perKey, limits(maxBytes));
        learnWhatFits(keys.size(), queues, maxBytes);
        for (LogStore.Queue queue : queues) {
            if (!queue.gone().isEmpty()) {
                log.error(
                        "[{}] events {} waited to be sent, and their rows were deleted from the outbox: they are lost",
                        settings.name(),
                        queue.gone());
            }
            // More keys than permits: the rest has its turn next time.
            if (events.size() < maxEvents) {
                open(queue.shard()).retry(queue, events, unsendable);
            }
        }
    }

    // ---- with care

    /** What was sent before is recorded first: should this relay die, only what is fetched here is under suspicion. */
    @Override
    public Fetched fetchSuspects(int maxEvents, long maxBytes) throws SQLException {
        Fetched fetched = call(connection -> {
            followLeases(connection);
            record(connection);
            // A copy: a shard may be lost on the way.
            for (Map.Entry<Integer, Care> one : Map.copyOf(careful).entrySet()) {
                Shard shard = shards.get(one.getKey());
                Care care = one.getValue();
                Fetched suspects = shard == null || shard.isLeaving()
                        ? null
                        : care.isAlone()
                                ? fetchAlone(connection, shard, care)
                                : fetchBatch(connection, shard, care, maxEvents, maxBytes);
                if (suspects != null) {
                    return suspects;
                }
                if (careful.remove(one.getKey()) != null && shard != null && !shard.isLeaving()) {
                    finishCare(one.getKey());
                }
            }
            return new Fetched(List.of(), List.of(), true, false);
        });
        if (exactlyOnce != null) {
            exactlyOnce.size().begin(fetched.events(), fetched.more());
        }
        return fetched;
    }

    private void finishCare(int shard) {
        leases.progressed(shard);
        log.info("[{}] shard {} is read as usual again", settings.name(), shard);
    }

    /** Null if there is nothing to send, or if those under suspicion have been sent. */
    private @Nullable Fetched fetchBatch(Connection connection, Shard shard, Care care, int maxEvents, long maxBytes)
            throws SQLException {
        if (care.left() <= 0) {
            return null;
        }
        int size = Math.min(maxEvents, care.size());
        long bytes = maxBytes;
        if (exactlyOnce != null) {
            size = exactlyOnce.size().events(size);
            bytes = exactlyOnce.size().bytes(bytes);
        }
        List<StoredEvent> events = new ArrayList<>();
        List<Settlement.Dead> unsendable = new ArrayList<>();
        retry(connection, List.of(shard), size, bytes, events, unsendable);
        if (events.size() < size && bytes(events) < bytes) {
            readWithCare(connection, shard, maxEvents, maxBytes, unsendable);
            handOut(List.of(shard), size, bytes, events);
        }
        care.sent(events.size());
        return events.isEmpty() && unsendable.isEmpty() ? null : new Fetched(events, unsendable, true, false);
    }

    /** Null if there is nothing to send. */
    private @Nullable Fetched fetchAlone(Connection connection, Shard shard, Care care) throws SQLException {
        List<Settlement.Dead> unsendable = new ArrayList<>();
        if (!care.isAside()) {
            setAside(connection, shard, care, unsendable);
        }
        if (!unsendable.isEmpty()) {
            return new Fetched(List.of(), unsendable, true, false);
        }
        for (Long key = care.nextSuspect(); key != null; key = care.nextSuspect()) {
            Fetched fetched = shard.gate().isReady(key) ? firstOfQueue(connection, shard, key) : null;
            if (fetched != null || shards.get(shard.number()) != shard) {
                return fetched;
            }
        }
        return null;
    }

    /** In the order in which the events would be sent: those beside the log come first. */
    private void setAside(Connection connection, Shard shard, Care care, List<Settlement.Dead> unsendable)
            throws SQLException {
        for (Long key : shard.gate().readyKeys(care.left())) {
            care.suspect(key);
        }
        while (care.left() > 0) {
            if (shard.wantsPage()) {
                readWithCare(
                        connection,
                        shard,
                        settings.batch().size(),
                        settings.batch().maxBytes(),
                        unsendable);
            }
            Long key = shard.setNextAside();
            if (key != null) {
                care.suspect(key);
            } else {
                care.flush();
            }
        }
        record(connection);
    }

    /** Whatever has been read of other shards: a shard must not seem to have come to its end. */
    private void readWithCare(
            Connection connection, Shard shard, int maxEvents, long maxBytes, List<Settlement.Dead> unsendable)
            throws SQLException {
        read(connection, List.of(shard), maxEvents, maxBytes + waitingBytes(), unsendable);
    }

    private @Nullable Fetched firstOfQueue(Connection connection, Shard shard, long key) throws SQLException {
        List<LogStore.QueueRequest> request = List.of(new LogStore.QueueRequest(shard.number(), key));
        LogStore.Queue queue = store.queues(
                        connection, request, 1, limits(settings.batch().maxBytes()))
                .get(0);
        recordAttempt(connection, shard, queue);
        if (shards.get(shard.number()) != shard) {
            return null;
        }
        List<StoredEvent> events = new ArrayList<>();
        List<Settlement.Dead> dead = new ArrayList<>();
        shard.retry(queue, events, dead);
        return events.isEmpty() && dead.isEmpty() ? null : alone(events, dead);
    }

    /** Before the event counts as in flight: from then on nothing is recorded with exactly once. */
    private void recordAttempt(Connection connection, Shard shard, LogStore.Queue queue) throws SQLException {
        List<Long> attempted = queue.rows().stream()
                .filter(row -> row.event() != null && row.event().claim().abandoned() < DEATHS_TO_GIVE_UP)
                .map(LogStore.Row::id)
                .toList();
        if (attempted.stream().noneMatch(shard::isTouched)) {
            for (Long id : attempted) {
                shard.attempting(id);
                attempts.made(shard.number(), id, owner.get(), this);
            }
            record(connection);
        }
    }

    private static Fetched alone(List<StoredEvent> events, List<Settlement.Dead> dead) {
        List<StoredEvent> alive = new ArrayList<>();
        for (StoredEvent event : events) {
            int deaths = event.claim().abandoned();
            if (deaths >= DEATHS_TO_GIVE_UP) {
                dead.add(new Settlement.Dead(
                        event.claim(), "process-death", "Relays died " + deaths + " times while they sent it."));
            } else {
                alive.add(event);
            }
        }
        return new Fetched(alive, dead, true, false);
    }

    // ---- outcomes

    @Override
    public void settle(List<Settlement> settlements) throws SQLException {
        if (exactlyOnce == null) {
            settleEach(settlements, false);
        } else {
            settleTogether(exactlyOnce, settlements);
        }
    }

    /** What was not committed has not happened: it is fetched again, or the shard is taken over again. */
    private void settleTogether(ExactlyOnce transactions, List<Settlement> settlements) throws SQLException {
        ExactlyOnce.Outcome outcome = transactions.conclude(settlements);
        settleEach(outcome.settlements(), outcome.committed());
        if (!outcome.usable()) {
            shards.clear();
        }
    }

    /**
     * @param passed whether the cursor is to pass all of them
     */
    private void settleEach(List<Settlement> settlements, boolean passed) throws SQLException {
        for (Settlement settlement : settlements) {
            long id = settlement.claim().id();
            Shard shard = shards.values().stream()
                    .filter(each -> each.knows(id))
                    .findFirst()
                    .orElse(null);
            long bytes = shard == null ? 0 : shard.bytesOf(id);
            if (shard == null) {
                outcomes.lost(settlement);
            } else if (shard.settle(settlement, passed)) {
                outcomes.settled(settlement, shard, exactlyOnce != null, bytes);
            }
        }
        try {
            if (isRecordingDue()) {
                run(this::record);
            }
        } catch (SQLException e) {
            // Nothing is lost by it: the same is recorded with the next fetch, or sent again after a crash.
            log.warn("[{}] the cursor could not be recorded, trying again: {}", settings.name(), e.getMessage());
        }
    }

    @Override
    public void bury(List<Settlement.Dead> dead) throws SQLException {
        settleEach(List.copyOf(dead), false);
    }

    /** What belongs to a shard that turned out to be lost was not recorded. */
    @Override
    public Settled settled() {
        return outcomes.take(shards::containsValue);
    }

    // ---- recording

    private boolean isRecordingDue() {
        return exactlyOnce != null
                || System.nanoTime() - recordedAt >= RECORD_INTERVAL
                || outcomes.waiting() > 0
                || shards.values().stream().anyMatch(Shard::isUrgent);
    }

    /**
     * With exactly once to record means to commit. That would take along whatever is in flight, with a position before it,
     * so it waits until everything is answered: nothing but a settled batch can be recorded.
     */
    private void record(Connection connection) throws SQLException {
        if (exactlyOnce != null && shards.values().stream().anyMatch(Shard::isAnythingSent)) {
            return;
        }
        List<Append> appends = new ArrayList<>();
        for (Shard shard : shards.values()) {
            Append append = shard.nextAppend(end.ids(), exactlyOnce == null ? 0 : shard.batch() + 1);
            if (append != null) {
                appends.add(append);
            }
        }
        if (appends.isEmpty()) {
            return;
        }
        LogStore.Appended appended = appendAndCommit(connection, appends);
        recordedAt = System.nanoTime();
        if (appended.txId() > 0) {
            marks.add(appended.txId(), end.ids().lastId());
        }
        for (Append append : appends) {
            if (appended.fenced().contains(append.shard())) {
                lose(append.shard());
            }
            Shard shard = shards.get(append.shard());
            if (shard == null) {
                continue;
            }
            shard.appended();
            outcomes.recorded(append);
            if (!append.changes().scheduled().isEmpty()) {
                nextDue.noLaterThan(Duration.ZERO);
            }
            // Not before: it may wait for an earlier event, and its time is counted from here.
            append.changes().failed().forEach(failed -> nextDue.noLaterThan(failed.delay()));
            // With care progress means that everything under suspicion has been sent.
            if (!careful.containsKey(append.shard())) {
                leases.progressed(append.shard());
            }
        }
    }

    private LogStore.Appended appendAndCommit(Connection connection, List<Append> appends) throws SQLException {
        if (exactlyOnce == null) {
            return append(connection, appends);
        }
        Append append = appends.get(0);
        try {
            exactlyOnce.confirm();
            LogStore.Appended appended = append(connection, appends);
            if (appended.fenced().isEmpty()) {
                exactlyOnce.commit(append, open(append.shard()).done(), cluster());
            } else {
                exactlyOnce.abort();
            }
            return appended;
        } catch (OutcomeUnknownException e) {
            log.warn(
                    "[{}] shard {}: it is not known whether batch {} was committed, so the shard is taken over again: {}",
                    settings.name(),
                    append.shard(),
                    append.batch(),
                    e.getMessage());
            outcomes.doubtful(append);
            shards.clear();
            return new LogStore.Appended(Set.of(), 0);
        } catch (DestinationUnavailableException e) {
            log.warn(
                    "[{}] shard {} is taken over again before batch {} is recorded: {}",
                    settings.name(),
                    append.shard(),
                    append.batch(),
                    e.getMessage());
            undo(exactlyOnce);
            return new LogStore.Appended(Set.of(), 0);
        } catch (NotCommittedException e) {
            // The database has the batch and the destination has not: taking over again puts that right.
            log.error(
                    "[{}] shard {}: batch {} is undone and the shard taken over again: {}",
                    settings.name(),
                    append.shard(),
                    append.batch(),
                    e.getMessage());
            undo(exactlyOnce);
            return new LogStore.Appended(Set.of(), 0);
        } catch (SQLException | RuntimeException e) {
            undo(exactlyOnce);
            throw e;
        }
    }

    /** Nothing of the open transaction has happened, whatever is known of its events: the shard is taken over again. */
    private void undo(ExactlyOnce transactions) {
        transactions.abort();
        shards.clear();
    }

    /** If the dead letter table does not take them, the dead are saved elsewhere first. */
    private LogStore.Appended append(Connection connection, List<Append> appends) throws SQLException {
        LogStore.Recording recording =
                new LogStore.Recording(appends, ways.holdDeadKeys(), Set.of(), exactlyOnce != null);
        List<Settlement.Dead> dead = appends.stream()
                .flatMap(append -> append.changes().dead().stream())
                .toList();
        LogStore.Appended appended = appendOrTellRefused(connection, recording, dead);
        while (!appended.refused().isEmpty()) {
            deadLetters.save(appended.refused(), some -> store.describe(connection, some));
            recording = recording.withoutLetters(appended.refused());
            appended = store.append(connection, owner.get(), cluster(), recording);
        }
        deadLetters.recorded(dead);
        return appended;
    }

    /** A table that is gone, forbidden, full or read-only refuses them all. */
    private LogStore.Appended appendOrTellRefused(
            Connection connection, LogStore.Recording recording, List<Settlement.Dead> dead) throws SQLException {
        try {
            return store.append(connection, owner.get(), cluster(), recording);
        } catch (SQLException e) {
            if (dead.isEmpty() || !SqlErrors.isRefusal(e)) {
                throw e;
            }
            log.error(
                    "[{}] the dead letter table does not accept {} events: {}",
                    settings.name(),
                    dead.size(),
                    e.getMessage());
            return new LogStore.Appended(Set.of(), 0, dead);
        }
    }

    private void lose(int shard) {
        log.warn("[{}] shard {} has been taken over by another relay", settings.name(), shard);
        shards.remove(shard);
        careful.remove(shard);
        leases.released(shard);
    }

    // ---- which shards

    private void followLeases(Connection connection) throws SQLException {
        Map<Integer, Integer> held = leases.held();
        shards.keySet().removeIf(shard -> !held.containsKey(shard));
        careful.keySet().retainAll(shards.keySet());
        Set<Integer> leaving = leases.leaving();
        for (Shard shard : shards.values()) {
            if (leaving.contains(shard.number())) {
                shard.leave();
            }
        }
        handOver(connection);
        for (Map.Entry<Integer, Integer> one : leases.held().entrySet()) {
            if (!shards.containsKey(one.getKey())) {
                if (leaving.contains(one.getKey())) {
                    release(connection, one.getKey());
                } else {
                    takeOver(connection, one.getKey(), one.getValue());
                    session.step();
                }
            }
        }
    }

    private void takeOver(Connection connection, int number, int takeovers) throws SQLException {
        Cursor before = store.cursor(connection, number);
        if (before == null) {
            throw new PostriderException("Shard " + number + " of the log has no cursor: rows of the cursor table were"
                    + " deleted. Run 'postrider doctor'.");
        }
        LogStore.Floor ids = end.look(connection).ids();
        // A cursor that knows of no ids is a new one: nothing stands beside the log by ids of before.
        boolean anew =
                !before.floor().equals(LogStore.Floor.NONE) && !before.floor().holdsAt(ids);
        Cursor unused = unusedFences.remove(number);
        // One is enough, however often the destination cannot be reached: nothing was written behind it. Until what
        // stands beside the log has other ids, the cursor says that ids have begun anew.
        Cursor cursor = before.equals(unused) && before.owner().equals(owner.get())
                ? unused
                : store.fence(connection, number, owner.get(), cluster(), anew ? before.floor() : ids);
        if (cursor == null) {
            // A former owner was just recording something. The next turn comes after it.
            return;
        }
        tellOfFailOver(before);
        Long survived = attempts.survived(number, before.owner(), cursor.owner());
        session.step();
        if (exactlyOnce != null) {
            session.longStep(LONGEST_TAKE_OVER);
            Cursor fence = cursor;
            cursor = exactlyOnce.takeOver(connection, fence, owner.get(), cluster());
            if (cursor == null) {
                unusedFences.put(number, fence);
                return;
            }
            outcomes.knownUpTo(cursor.batch());
        }
        session.step();
        if (anew) {
            renumberParked(connection, number, ids);
            cursor = voidMarks(connection, cursor, ids.ofUnknownBeginning());
            if (cursor == null) {
                return;
            }
        }
        Shard shard = new Shard(cursor, ways);
        loadMarks(connection, shard.lo());
        List<Long> suspects = new ArrayList<>();
        for (LogStore.Hold hold : store.holds(connection, number)) {
            shard.gate().raise(hold.keyHash(), hold.events());
            if (hold.blockedAt() > 0) {
                shard.gate().block(hold.keyHash(), hold.blockedAt());
            }
            // The others wait for a time, a destination or a person, each of which is looked for.
            if (hold.sendable()) {
                shard.gate().ready(hold.keyHash());
            }
            if (hold.abandoned()) {
                suspects.add(hold.keyHash());
            }
        }
        if (survived != null) {
            shard.survived(survived);
        }
        shards.put(number, shard);
        blocked.takenOver(shard);
        nextDue.noLaterThan(Duration.ZERO);
        log.info("[{}] shard {} is read from here, cursor {}", settings.name(), number, cursor.seq());
        takeCare(number, takeovers, suspects);
    }

    /**
     * @return null if somebody else has taken the shard over
     */
    private @Nullable Cursor voidMarks(Connection connection, Cursor cursor, LogStore.Floor floor) throws SQLException {
        Append append = new Append(
                cursor.shard(), cursor.seq() + 1, cursor.position(), floor, cursor.batch(), Append.Changes.NONE);
        LogStore.Recording recording = new LogStore.Recording(List.of(append), false, Set.of(), true);
        return store.append(connection, owner.get(), cluster(), recording)
                        .fenced()
                        .isEmpty()
                ? new Cursor(
                        append.shard(),
                        append.seq(),
                        append.position(),
                        floor,
                        append.batch(),
                        owner.get(),
                        cursor.cluster())
                : null;
    }

    private void renumberParked(Connection connection, int shard, LogStore.Floor ids) throws SQLException {
        List<Long> lost = store.renumberParked(connection, shard, ids);
        if (!lost.isEmpty()) {
            log.error(
                    "[{}] shard {}: events {} waited to be sent, their rows are gone from the outbox and their ids are given out"
                            + " again: they are lost",
                    settings.name(),
                    shard,
                    lost);
        }
        session.step();
    }

    private void takeCare(int shard, int takeovers, List<Long> suspects) {
        Care care = null;
        if (!suspects.isEmpty()) {
            care = Care.of(suspects);
        } else if (takeovers >= CarefulBatches.DEATHS_FOR_CARE) {
            care = Care.after(takeovers, settings.batch().size());
        }
        if (care != null) {
            log.warn(
                    "[{}] shard {} was taken over {} times without progress, or a relay has died with one of its events:"
                            + " they are sent {} at a time for a while",
                    settings.name(),
                    shard,
                    takeovers,
                    care.size());
            careful.put(shard, care);
        }
    }

    private void loadMarks(Connection connection, Snapshot lo) throws SQLException {
        Collection<Long> transactions = new ArrayList<>();
        transactions.add(lo.end());
        for (long running : lo.running()) {
            transactions.add(running);
        }
        store.marks(connection, transactions).forEach(mark -> marks.add(mark.txId(), mark.floor()));
    }

    /** The fence row is of the new timeline, so that a shard is told of once. */
    private void tellOfFailOver(Cursor cursor) {
        Cluster now = cluster();
        Cluster then = cursor.cluster();
        if (then.timeline() != now.timeline()) {
            log.error(
                    "[{}] THE DATABASE HAS FAILED OVER (timeline {} → {}): shard {} goes on from the cursor of this server."
                            + " {}Events that the old server had delivered last may come again; commits that this server"
                            + " had not received are gone with their events.",
                    settings.name(),
                    then.timeline(),
                    now.timeline(),
                    cursor.shard(),
                    exactlyOnce == null ? "" : "DELIVERY IS AT LEAST ONCE HERE, NOT EXACTLY ONCE. ");
            listener.databaseFailedOver(cursor.shard(), then.timeline(), now.timeline());
        }
    }

    /** What is in flight is awaited, then the shard is given up. */
    private void handOver(Connection connection) throws SQLException {
        List<Shard> done = shards.values().stream()
                .filter(shard -> shard.isLeaving() && !shard.isAnythingInFlight())
                .toList();
        if (done.isEmpty()) {
            return;
        }
        record(connection);
        for (Shard shard : done) {
            shards.remove(shard.number());
            release(connection, shard.number());
        }
    }

    private void release(Connection connection, int shard) throws SQLException {
        // In this order: what is free may be this relay's share again at once.
        leases.released(shard);
        store.releaseShard(connection, shard, owner.get());
        log.info("[{}] shard {} has been handed over", settings.name(), shard);
    }

    @Override
    public boolean isLineToBeStopped() {
        long longest = settings.timeouts().drain().toNanos();
        return shards.values().stream()
                .anyMatch(shard -> shard.isLeaving()
                        && shard.isAnythingInFlight()
                        && System.nanoTime() - shard.leavingSince() > longest);
    }

    // ---- the rest

    @Override
    public Repaired repair() throws SQLException {
        return call(connection -> {
            followLeases(connection);
            record(connection);
            if (exactlyOnce == null || shards.values().stream().noneMatch(Shard::isAnythingSent)) {
                // Operators may have asked for something; and the database's clock may have been set.
                nextDue.noLaterThan(Duration.ZERO);
                lookForDue(connection);
            }
            return new Repaired(0, 0, !careful.isEmpty());
        });
    }

    @Override
    public Released releaseBlocked(ToIntFunction<String> releasable) throws SQLException {
        return call(connection -> {
            Released released = blocked.release(connection, carefree(), releasable);
            if (released.events() > 0) {
                record(connection);
            }
            return released;
        });
    }

    @Override
    public void startOver() throws SQLException {
        try {
            recordTheRest();
        } finally {
            shards.clear();
            careful.clear();
        }
    }

    @Override
    public @Nullable Reached reached() {
        return exactlyOnce == null ? null : exactlyOnce.reached();
    }

    @Override
    public boolean isTransactional() {
        return exactlyOnce != null;
    }

    @Override
    public boolean isInDoubt() {
        return false;
    }

    @Override
    public Backlog backlog() throws SQLException {
        return call(connection -> store.backlog(connection, BACKLOG_CAP));
    }

    @Override
    public void unblock() {
        session.cut();
    }

    @Override
    public void abandon() {
        attempts.forgetThoseOf(this);
        readAhead.close();
        session.abort();
    }

    /** What was sent and not answered is undone: left open, it would hide later events from consumers for a while. */
    private void recordTheRest() throws SQLException {
        try {
            run(this::record);
        } finally {
            if (exactlyOnce != null) {
                exactlyOnce.abort();
            }
        }
    }

    @Override
    public void close() {
        try {
            readAhead.finish();
        } catch (SQLException | RuntimeException e) {
            log.debug("[{}] what was read ahead is not needed any more: {}", settings.name(), e.toString());
        }
        try {
            session.hurry();
            recordTheRest();
        } catch (SQLException | RuntimeException e) {
            log.warn("[{}] the cursor could not be recorded at the end: {}", settings.name(), e.getMessage());
        }
        readAhead.close();
        session.close();
    }
}
