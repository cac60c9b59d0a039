package dev.postrider.internal.source.log;

import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Append.Place;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.Position;
import dev.postrider.internal.store.log.Snapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a shard knows of it: the window it reads, the events it has read and the cursor has not passed, the
 * closed keys, and what is to be recorded next. Used by the relay's thread alone.
 *
 * <p>The cursor passes an event when that and every earlier one of its shard has an end: delivered, or recorded beside
 * the log in the transaction in which the cursor passes it.
 */
final class Shard {
    private static final long NOBODY = -1;

    /** Nothing of a window has been read. Ids that writers choose may be below zero. */
    private static final long NOTHING = Long.MIN_VALUE;

    private final int number;
    private final Ways ways;
    private final KeyGate gate = new KeyGate();

    private long seq;
    private long batch;

    /** Where the next window begins. */
    private Snapshot lo;

    /** The window being read; null between two windows. */
    private @Nullable Window window;

    /** Read and not passed, in order. */
    private final Deque<Entry> entries = new ArrayDeque<>();

    /** Those of them whose turn has not come: to be sent, or to be given up; by their places in the order. */
    private final NavigableMap<Long, Entry> waiting = new TreeMap<>();

    /** Those of them whose key has enough in flight. */
    private final KeyShares<Entry> shares;

    /** Events, of those or beside the log, that cannot be sent and that nobody has been told of yet. */
    private final Set<Long> condemned = new HashSet<>();

    /** How many events have been read whose time has not come, and that are not yet recorded as such. */
    private int scheduled;

    private final Map<Long, Entry> sent = new HashMap<>();

    /** Events beside the log that are in flight: their keys. */
    private final Map<Long, Long> retrying = new HashMap<>();

    /** The last event that the cursor passed. */
    private @Nullable Entry passed;

    private NextAppend next = new NextAppend();
    private @Nullable Pending pending;
    private long places;

    /** The event that was recorded as being sent alone, until it has an outcome. */
    private long aloneWith = NOBODY;

    private boolean leaving;
    private long leavingSince;

    /**
     * @param holdDeadKeys whether the keys of dead events stay closed
     * @param deleteAfterwards whether rows of delivered events may be deleted only by the append after the one that says so
     * @param mostOfAKey so many events of a key may be in flight, see {@link KeyShares}
     */
    record Ways(boolean holdDeadKeys, boolean deleteAfterwards, int mostOfAKey) {}

    Shard(Cursor cursor, Ways ways) {
        this.number = cursor.shard();
        this.seq = cursor.seq();
        this.batch = cursor.batch();
        this.ways = ways;
        this.shares = new KeyShares<>(ways.mostOfAKey());
        Position position = cursor.position();
        this.lo = Snapshot.parse(position.lo());
        if (position.hi() != null) {
            window = new Window(lo, Snapshot.parse(position.hi()), position.lastId());
        }
    }

    /** Events visible in {@code hi} and not in {@code lo}. */
    private static final class Window {
        final Snapshot lo;
        final Snapshot hi;

        /** What a former owner's cursor had passed of it. */
        final long begun;

        long lastRead;

        Window(Snapshot lo, Snapshot hi, long begun) {
            this.lo = lo;
            this.hi = hi;
            this.begun = begun;
            this.lastRead = begun;
        }
    }

    private static final class Entry {
        final Window window;
        final long place;
        final long id;
        final long key;

        /** Null once it has an end. */
        @Nullable
        StoredEvent event;

        @Nullable
        End end;

        /** Why it cannot be sent. */
        final Settlement.@Nullable Dead unsendable;

        Entry(Window window, long place, LogStore.Row row) {
            this.window = window;
            this.place = place;
            this.id = row.id();
            this.key = row.keyHash();
            this.event = row.event();
            this.unsendable = row.unsendable();
        }

        long bytes() {
            return event == null ? 0 : event.bytes();
        }

        void ends(End end) {
            this.end = end;
            this.event = null;
        }
    }

    /** How an event's time in the log ended: what is to be recorded when the cursor passes it. */
    private interface End {
        void record(NextAppend next);
    }

    /** Its time has not come. */
    private record Scheduled(long id, long key) implements End {
        @Override
        public void record(NextAppend next) {
            next.scheduled.add(new Place(id, key));
        }
    }

    /** What goes into the next append, and what follows once it is committed. */
    private static final class NextAppend {
        final List<Settlement.Failed> failed = new ArrayList<>();
        final List<Place> queued = new ArrayList<>();
        final List<Settlement.Blocked> blocked = new ArrayList<>();

        /** Those that wait for nothing but their turn any more, neither for a destination nor for a time, with their keys. */
        final Map<Long, Long> released = new LinkedHashMap<>();

        final List<Place> scheduled = new ArrayList<>();
        final List<Long> promoted = new ArrayList<>();
        final List<Long> attempted = new ArrayList<>();
        final List<Long> survived = new ArrayList<>();
        final List<Settlement.Dead> dead = new ArrayList<>();
        final List<Long> deleted = new ArrayList<>();

        /** Delivered from beside the log: their rows are deleted by the append after this, with their keys. */
        final Map<Long, Long> done = new LinkedHashMap<>();

        final List<Long> keysToLower = new ArrayList<>();
        final Set<Long> keysToTry = new HashSet<>();

        /** Events beside the log that are dealt with here. */
        final Set<Long> touched = new HashSet<>();

        Append.Changes changes() {
            return new Append.Changes(
                    failed,
                    queued,
                    blocked,
                    List.copyOf(released.keySet()),
                    scheduled,
                    promoted,
                    attempted,
                    survived,
                    dead,
                    deleted);
        }
    }

    private record Pending(Append append, NextAppend record) {}

    int number() {
        return number;
    }

    long batch() {
        return batch;
    }

    Snapshot lo() {
        return lo;
    }

    KeyGate gate() {
        return gate;
    }

    // ---- reading

    /** How many events have been read that the cursor has not passed. */
    int ahead() {
        return entries.size();
    }

    /** Of those whose turn has not come. */
    long waitingBytes() {
        return waiting.values().stream().mapToLong(Entry::bytes).sum() + behindBytes();
    }

    long behindBytes() {
        return shares.events().mapToLong(Entry::bytes).sum();
    }

    /** Whether there is more to read in the window at once. */
    boolean isReading() {
        return window != null && !leaving;
    }

    boolean wantsPage() {
        return waiting.isEmpty() && !leaving;
    }

    /**
     * What to read next, or null if nothing can have become visible.
     *
     * @param head the end of the log, now
     */
    LogStore.@Nullable PageRequest nextPage(Snapshot head, Marks marks) {
        Window current = window;
        if (current == null) {
            if (head.equals(lo)) {
                return null;
            }
            current = new Window(lo, head, NOTHING);
            window = current;
        }
        return nextPage(current, marks);
    }

    /** What to read next of the window being read, or null if there is none. */
    LogStore.@Nullable PageRequest nextPageOfWindow(Marks marks) {
        Window current = window;
        return current == null ? null : nextPage(current, marks);
    }

    private LogStore.PageRequest nextPage(Window current, Marks marks) {
        long floor = marks.floorOf(current.lo.firstNewIn(current.hi));
        return new LogStore.PageRequest(
                number, Math.max(floor, current.lastRead), current.lo.text(), current.hi.text());
    }

    /** Takes in what was read. */
    void read(LogStore.Page page, List<Settlement.Dead> unsendable) {
        Window current = window;
        if (current == null) {
            throw new IllegalStateException("a page without a window");
        }
        for (LogStore.Row row : page.rows()) {
            Entry entry = new Entry(current, ++places, row);
            entries.add(entry);
            current.lastRead = entry.id;
            if (row.scheduled()) {
                scheduled++;
                entry.ends(new Scheduled(entry.id, entry.key));
            } else {
                // One that cannot be sent has its turn too: it must not close its key before earlier events have gone.
                waiting.put(entry.place, entry);
            }
            if (row.unsendable() != null) {
                condemned.add(entry.id);
                unsendable.add(row.unsendable());
            }
        }
        if (page.complete()) {
            lo = current.hi;
            window = null;
        }
    }

    /** The next event to be sent; one whose key is closed joins its queue instead. Null if there is none. */
    @Nullable
    StoredEvent nextToSend() {
        while (!waiting.isEmpty()) {
            Entry entry = waiting.pollFirstEntry().getValue();
            StoredEvent event = entry.event;
            if (hasOtherEnd(entry)) {
                waitNoLonger(shares.next(entry.key));
            } else if (event != null && shares.take(entry.key, entry.place, entry)) {
                sent.put(entry.id, entry);
                return event;
            }
        }
        return null;
    }

    /** Whether it is given up or joins the queue of its key. */
    private boolean hasOtherEnd(Entry entry) {
        if (entry.unsendable != null) {
            die(entry, entry.unsendable);
            return true;
        }
        if (!gate.isClosed(entry.key)) {
            return false;
        }
        gate.raise(entry.key);
        queue(entry);
        return true;
    }

    private void waitNoLonger(@Nullable Entry entry) {
        if (entry != null) {
            waiting.put(entry.place, entry);
        }
    }

    /** Too much waits for its turn among the events of its key: from here on it waits beside the log. */
    void setBusyKeysAside() {
        for (Entry entry : shares.clear()) {
            gate.raise(entry.key);
            queue(entry);
        }
    }

    /** How many events wait because their key has enough in flight. */
    int behind() {
        return shares.waiting();
    }

    /** Whether there is something to send without reading. */
    boolean hasNext() {
        return !waiting.isEmpty();
    }

    private void queue(Entry entry) {
        entry.ends(next -> {
            next.queued.add(new Place(entry.id, entry.key));
            // It may stand first in the queue: if it came back and a later event of its key had failed, or if what it
            // waits for was delivered before this could be recorded. Then nobody else looks at its key.
            if (!gate.isBlockedBefore(entry.key, entry.id)) {
                next.keysToTry.add(entry.key);
            }
        });
    }

    /**
     * Puts the next event that could be sent beside the log: it is sent from there, later, and those behind it need not wait.
     *
     * @return its key; null if there is none
     */
    @Nullable
    Long setNextAside() {
        while (!waiting.isEmpty()) {
            Entry entry = waiting.pollFirstEntry().getValue();
            boolean queued = entry.unsendable == null && gate.isClosed(entry.key);
            if (!hasOtherEnd(entry)) {
                gate.raise(entry.key);
                entry.ends(next -> {
                    next.queued.add(new Place(entry.id, entry.key));
                    next.keysToTry.add(entry.key);
                });
                return entry.key;
            }
            if (queued) {
                return entry.key;
            }
        }
        return null;
    }

    // ---- outcomes

    /** Of an event of the log that was sent. */
    long bytesOf(long id) {
        Entry entry = sent.get(id);
        return entry == null || entry.event == null ? 0 : entry.event.bytes();
    }

    boolean knows(long id) {
        return sent.containsKey(id) || retrying.containsKey(id) || condemned.contains(id);
    }

    /**
     * @param passed whether the cursor is to pass it, whatever it is: what was accepted behind it is about to be committed
     * @return false if its end was known before: it cannot be sent
     */
    boolean settle(Settlement settlement, boolean passed) {
        long id = settlement.claim().id();
        condemned.remove(id);
        Entry entry = sent.remove(id);
        if (entry != null) {
            waitNoLonger(shares.giveBack(entry.key));
            settleInLog(entry, settlement, passed);
            return true;
        }
        Long key = retrying.remove(id);
        if (key != null) {
            gate.answered(key);
            settleBeside(id, key, settlement);
            return true;
        }
        return false;
    }

    private void settleInLog(Entry entry, Settlement settlement, boolean passed) {
        if (settlement instanceof Settlement.Published) {
            entry.ends(next -> {});
        } else if (settlement instanceof Settlement.Failed failed) {
            gate.raise(entry.key);
            entry.ends(next -> next.failed.add(failed));
        } else if (settlement instanceof Settlement.Blocked blocked) {
            gate.raise(entry.key);
            gate.block(entry.key, entry.id);
            entry.ends(next -> next.blocked.add(blocked));
        } else if (settlement instanceof Settlement.Dead dead) {
            die(entry, dead);
        } else if (passed || gate.isBlockedBefore(entry.key, entry.id)) {
            // Not sent. At once, so that the cursor can pass it with those behind it.
            gate.raise(entry.key);
            queue(entry);
        } else {
            waiting.put(entry.place, entry);
        }
    }

    private void die(Entry entry, Settlement.Dead dead) {
        if (ways.holdDeadKeys()) {
            gate.raise(entry.key);
        }
        entry.ends(next -> next.dead.add(dead));
    }

    private void settleBeside(long id, long key, Settlement settlement) {
        next.touched.add(id);
        if (settlement instanceof Settlement.Published && ways.deleteAfterwards()) {
            next.done.put(id, key);
        } else if (settlement instanceof Settlement.Published) {
            delete(id, key);
        } else if (settlement instanceof Settlement.Failed failed) {
            next.failed.add(failed);
            gate.waits(key);
        } else if (settlement instanceof Settlement.Blocked blocked) {
            next.blocked.add(blocked);
            gate.waits(key);
            gate.block(key, id);
        } else if (settlement instanceof Settlement.Dead dead) {
            next.dead.add(dead);
            if (ways.holdDeadKeys()) {
                gate.waits(key);
            } else {
                next.keysToLower.add(key);
                next.keysToTry.add(key);
            }
        } else {
            next.touched.remove(id);
            gate.ready(key);
            if (aloneWith == id) {
                survived(id);
            }
        }
        aloneWith = NOBODY;
    }

    private void delete(long id, long key) {
        next.touched.add(id);
        next.deleted.add(id);
        next.keysToLower.add(key);
        next.keysToTry.add(key);
    }

    // ---- events beside the log

    /** How many of them are in flight. */
    int retrying() {
        return retrying.size();
    }

    /** One whose time has come, or of which an operator has asked for something. */
    void due(LogStore.Parked parked) {
        long key = parked.keyHash();
        if (retrying.containsKey(parked.id()) || isTouched(parked.id())) {
            return;
        }
        switch (parked.state()) {
            case FAILED -> {
                if (parked.follows()) {
                    // It waits for the event before it now, not for a time: as long as it counted as due, it would be
                    // in the way of those that can be sent.
                    release(parked.id(), key);
                } else {
                    gate.ready(key);
                }
            }
            case SCHEDULED, RETRY -> {
                if (!parked.holds()) {
                    gate.raise(key);
                }
                next.touched.add(parked.id());
                next.promoted.add(parked.id());
                next.keysToTry.add(key);
            }
            case DISCARD -> {
                next.touched.add(parked.id());
                next.deleted.add(parked.id());
                if (parked.holds()) {
                    next.keysToLower.add(key);
                    next.keysToTry.add(key);
                }
            }
            case QUEUED, BLOCKED, DEAD -> throw new IllegalStateException("waits for no time: " + parked);
        }
    }

    /** It waits for its destination no longer, and stands in the queue of its key. */
    void release(LogStore.BlockedRow blocked) {
        if (!retrying.containsKey(blocked.id()) && !isTouched(blocked.id())) {
            release(blocked.id(), blocked.keyHash());
        }
    }

    private void release(long id, long key) {
        next.touched.add(id);
        next.released.put(id, key);
    }

    /** Whether its end, or its next state, is still to be recorded. */
    boolean isTouched(long id) {
        return next.touched.contains(id) || pending != null && pending.record.touched.contains(id);
    }

    /** The first events of a closed key, about to be sent. */
    void retry(LogStore.Queue queue, List<StoredEvent> events, List<Settlement.Dead> unsendable) {
        long key = queue.keyHash();
        for (Long gone : queue.gone()) {
            delete(gone, key);
        }
        if (queue.rows().isEmpty()) {
            gate.waits(key);
        }
        for (LogStore.Row row : queue.rows()) {
            if (isTouched(row.id())) {
                // Its end is still to be recorded, and with that the key is ready again.
                gate.waits(key);
                break;
            }
            retrying.put(row.id(), key);
            gate.sent(key);
            if (row.unsendable() != null) {
                condemned.add(row.id());
                unsendable.add(row.unsendable());
                break;
            }
            if (row.event() != null) {
                events.add(row.event());
            }
        }
    }

    /** Records, before it is made, that an event is about to be sent alone. */
    void attempting(long id) {
        next.attempted.add(id);
        aloneWith = id;
    }

    /** The last attempt to send an event alone has no outcome, and the relay lives. */
    void survived(long id) {
        next.survived.add(id);
    }

    // ---- recording

    /** What to append next, or null if nothing has changed. Until it is {@link #appended} it stays the same. */
    @Nullable
    Append nextAppend(LogStore.Floor floor, long batch) {
        if (pending == null) {
            boolean moved = pass();
            Append.Changes changes = next.changes();
            if (!moved && changes.isEmpty() && next.done.isEmpty()) {
                return null;
            }
            pending = new Pending(new Append(number, seq + 1, position(), floor, batch, changes), next);
            next = new NextAppend();
        }
        return pending.append;
    }

    /** Delivered from beside the log with the append that is pending. */
    List<Long> done() {
        return pending == null ? List.of() : List.copyOf(pending.record.done.keySet());
    }

    private boolean pass() {
        boolean moved = false;
        for (Entry first = entries.peek(); first != null && first.end != null; first = entries.peek()) {
            first.end.record(next);
            scheduled -= first.end instanceof Scheduled ? 1 : 0;
            entries.remove();
            passed = first;
            moved = true;
        }
        return moved;
    }

    Position position() {
        Entry first = entries.peek();
        Window current = first != null ? first.window : window;
        if (current == null) {
            return Position.at(lo.text());
        }
        long done = passed != null && passed.window == current ? passed.id : current.begun;
        return done == NOTHING
                ? Position.at(current.lo.text())
                : new Position(current.lo.text(), current.hi.text(), done);
    }

    void appended() {
        Pending done = pending;
        if (done == null) {
            throw new IllegalStateException("nothing was to be appended");
        }
        pending = null;
        seq = done.append.seq();
        batch = done.append.batch();
        done.record.done.forEach(this::delete);
        done.record.keysToLower.forEach(gate::lower);
        done.record.released.forEach((id, key) -> {
            gate.unblock(key, id);
            gate.ready(key);
        });
        done.record.keysToTry.forEach(gate::ready);
    }

    /** Whether events beside the log wait for something to be recorded. */
    boolean isUrgent() {
        return pending != null || !next.changes().isEmpty() || isScheduledNext();
    }

    /** Whether the cursor can pass an event whose time has not come: until that is recorded, nobody knows when it comes. */
    boolean isScheduledNext() {
        if (scheduled > 0) {
            for (Entry entry : entries) {
                if (entry.end == null) {
                    return false;
                }
                if (entry.end instanceof Scheduled) {
                    return true;
                }
            }
        }
        return false;
    }

    // ---- leaving

    void leave() {
        if (!leaving) {
            leaving = true;
            leavingSince = System.nanoTime();
        }
    }

    boolean isLeaving() {
        return leaving;
    }

    long leavingSince() {
        return leavingSince;
    }

    boolean isAnythingInFlight() {
        return isAnythingSent() || !condemned.isEmpty();
    }

    /** Whether the publisher may have events whose outcomes are not known here. */
    boolean isAnythingSent() {
        return !sent.isEmpty() || !condemned.containsAll(retrying.keySet());
    }
}
