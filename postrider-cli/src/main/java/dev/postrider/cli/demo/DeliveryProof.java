package dev.postrider.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares what writers wrote with what a consumer received, and counts what was lost, doubled,
 * reordered or invented. Any thread.
 *
 * <p>An event B counts as reordered if its first delivery came before the first delivery of an event A
 * of the same key that precedes it: A's commit had returned before B's insert began, or both are in one
 * transaction and A was inserted first. A later delivery of either is a duplicate and nothing else.
 *
 * <p>All times are {@link System#nanoTime} of one process: writers take them around their calls, the
 * consumer when it has a record in hand. The events of one key must be reported as received in the
 * order of their delivery.
 */
public final class DeliveryProof {
    private final Map<UUID, Written> written = new HashMap<>();
    private final Map<Long, Transaction> transactions = new HashMap<>();
    private final Map<UUID, Delivery> firstDeliveries = new HashMap<>();

    /** How often, of events received more than once. */
    private final Map<UUID, Integer> repeated = new HashMap<>();

    private long deliveries;
    private long committedEvents;
    private long missing;

    private record Written(UUID id, String key, long insertBegan, Transaction transaction, int index) {}

    /**
     * @param sequence place among all deliveries
     */
    private record Delivery(long sequence, long at) {}

    private enum Outcome {
        OPEN,
        COMMITTED,
        ROLLED_BACK,
        IN_DOUBT
    }

    private static final class Transaction {
        final List<Written> events = new ArrayList<>();
        Outcome outcome = Outcome.OPEN;
        long committedAt;
    }

    /**
     * An event is about to be inserted.
     *
     * @param insertBegan before the call that inserts it
     * @param tx any number that tells transactions apart
     * @param indexInTx grows in the order of the inserts of one transaction
     */
    public synchronized void written(UUID id, String key, long insertBegan, long tx, int indexInTx) {
        Transaction transaction = transactions.computeIfAbsent(tx, number -> new Transaction());
        Written event = new Written(id, key, insertBegan, transaction, indexInTx);
        if (written.putIfAbsent(id, event) != null) {
            throw new IllegalArgumentException("event " + id + " was written already");
        }
        transaction.events.add(event);
    }

    /**
     * A transaction's commit has returned.
     *
     * @param at after the call
     */
    public synchronized void committed(long tx, long at) {
        Transaction transaction = end(tx, Outcome.COMMITTED);
        transaction.committedAt = at;
        committedEvents += transaction.events.size();
        missing += transaction.events.stream()
                .filter(event -> !firstDeliveries.containsKey(event.id()))
                .count();
    }

    /** A transaction was rolled back: none of its events may ever be seen. */
    public synchronized void rolledBack(long tx) {
        end(tx, Outcome.ROLLED_BACK);
    }

    /** A commit ended with an error that leaves open whether it took place: either is right. */
    public synchronized void inDoubt(long tx) {
        end(tx, Outcome.IN_DOUBT);
    }

    private Transaction end(long tx, Outcome outcome) {
        Transaction transaction = transactions.get(tx);
        if (transaction == null || transaction.outcome != Outcome.OPEN) {
            throw new IllegalArgumentException("transaction " + tx + " wrote nothing or has ended already");
        }
        transaction.outcome = outcome;
        return transaction;
    }

    /** A consumer has an event in hand, for the first time or again. */
    public synchronized void received(UUID id, long at) {
        boolean first = firstDeliveries.putIfAbsent(id, new Delivery(deliveries, at)) == null;
        deliveries++;
        if (!first) {
            repeated.merge(id, 2, (times, more) -> times + 1);
        }
        Written event = written.get(id);
        if (first && event != null && event.transaction().outcome == Outcome.COMMITTED) {
            missing--;
        }
    }

    /** Events of committed transactions so far. */
    public synchronized long committedEvents() {
        return committedEvents;
    }

    /** Different events received so far. */
    public synchronized long receivedEvents() {
        return firstDeliveries.size();
    }

    /** Deliveries so far, duplicates included. */
    public synchronized long deliveries() {
        return deliveries;
    }

    /** Committed events not received so far. */
    public synchronized long missing() {
        return missing;
    }

    /** How often an event was received so far. */
    public synchronized int deliveriesOf(UUID id) {
        return repeated.getOrDefault(id, firstDeliveries.containsKey(id) ? 1 : 0);
    }

    /** Some of the committed events not received so far, with their keys. */
    public synchronized Map<UUID, String> someMissing(int limit) {
        return written.values().stream()
                .filter(event -> event.transaction().outcome == Outcome.COMMITTED)
                .filter(event -> !firstDeliveries.containsKey(event.id()))
                .limit(limit)
                .collect(Collectors.toMap(Written::id, Written::key));
    }

    /** Some of the events received more than once so far, with their keys. */
    public synchronized Map<UUID, String> someRepeated(int limit) {
        return repeated.keySet().stream()
                .limit(limit)
                .collect(Collectors.toMap(
                        id -> id,
                        id -> written.containsKey(id) ? written.get(id).key() : "?"));
    }

    /**
     * How long it took.
     *
     * @param commitToDelivery nanoseconds, one for each event received
     * @param elapsed from the first insert to the last first delivery
     */
    public record Timing(long[] commitToDelivery, Duration elapsed) {}

    /** Of the committed events that were received and whose insert did not begin before a time. */
    public synchronized Timing timingSince(long insertBegan) {
        return timingBetween(insertBegan, Long.MAX_VALUE);
    }

    /** Of the committed events that were received and whose insert began at or after one time and before another. */
    public synchronized Timing timingBetween(long from, long until) {
        List<Written> measured = written.values().stream()
                .filter(event -> event.insertBegan() >= from && event.insertBegan() < until)
                .filter(event -> event.transaction().outcome == Outcome.COMMITTED)
                .filter(event -> firstDeliveries.containsKey(event.id()))
                .toList();
        long begin = measured.stream().mapToLong(Written::insertBegan).min().orElse(0);
        long end = measured.stream().mapToLong(this::deliveredAt).max().orElse(begin);
        long[] latencies = measured.stream()
                // A consumer may be faster than the answer to the writer's commit.
                .mapToLong(event -> Math.max(0, deliveredAt(event) - event.transaction().committedAt))
                .toArray();
        return new Timing(latencies, Duration.ofNanos(end - begin));
    }

    /**
     * Events received for the first time since a time.
     *
     * @param elapsed from the first of them to the last
     */
    public record Arrivals(long events, Duration elapsed) {}

    /** Received for the first time at or after a time. */
    public synchronized Arrivals arrivalsSince(long receivedAt) {
        LongSummaryStatistics times = firstDeliveries.values().stream()
                .mapToLong(Delivery::at)
                .filter(at -> at >= receivedAt)
                .summaryStatistics();
        return new Arrivals(
                times.getCount(), Duration.ofNanos(times.getCount() == 0 ? 0 : times.getMax() - times.getMin()));
    }

    private long deliveredAt(Written event) {
        return firstDeliveries.get(event.id()).at();
    }

    /**
     * What the comparison says.
     *
     * @param written events of committed transactions
     * @param rolledBack events of transactions that were rolled back
     * @param received different events received
     * @param lost committed and not received
     * @param duplicates deliveries of an event after its first
     * @param reordered first delivered before an event that precedes it
     * @param phantom received although rolled back, or never written
     * @param examples some of the lost, reordered and phantom events, in words
     */
    public record Verdict(
            long written,
            long rolledBack,
            long received,
            long lost,
            long duplicates,
            long reordered,
            long phantom,
            List<String> examples) {

        /** Whether everything promised was kept; duplicates are allowed by delivery at least once. */
        public boolean isKept() {
            return lost == 0 && reordered == 0 && phantom == 0;
        }
    }

    /** In O(n log n). */
    public synchronized Verdict verdict() {
        Findings findings = new Findings();
        long rolledBack = 0;
        Map<String, List<Written>> delivered = new HashMap<>();
        for (Written event : written.values()) {
            Outcome outcome = event.transaction().outcome;
            boolean received = firstDeliveries.containsKey(event.id());
            if (outcome == Outcome.ROLLED_BACK) {
                rolledBack++;
            }
            if (outcome == Outcome.COMMITTED && !received) {
                findings.lost(event);
            } else if (received && outcome != Outcome.ROLLED_BACK) {
                delivered.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
            }
        }
        for (UUID id : firstDeliveries.keySet()) {
            Written event = written.get(id);
            if (event == null || event.transaction().outcome == Outcome.ROLLED_BACK) {
                findings.phantom(id, event);
            }
        }
        for (List<Written> sameKey : delivered.values()) {
            findReorderedByTime(sameKey, findings);
            findReorderedInTransactions(sameKey, findings);
        }
        return new Verdict(
                committedEvents,
                rolledBack,
                firstDeliveries.size(),
                findings.lost,
                deliveries - firstDeliveries.size(),
                findings.reordered.size(),
                findings.phantom,
                List.copyOf(findings.examples));
    }

    /**
     * Walks the events by the begin of their insert and keeps, of all whose commit had returned by
     * then, the one that was delivered last: if even that one came first, all of them did.
     */
    private void findReorderedByTime(Collection<Written> sameKey, Findings findings) {
        List<Written> byInsert = sameKey.stream()
                .sorted(Comparator.comparingLong(Written::insertBegan))
                .toList();
        List<Written> byCommit = sameKey.stream()
                .filter(event -> event.transaction().outcome == Outcome.COMMITTED)
                .sorted(Comparator.comparingLong(event -> event.transaction().committedAt))
                .toList();
        int next = 0;
        Written latest = null;
        for (Written event : byInsert) {
            while (next < byCommit.size() && byCommit.get(next).transaction().committedAt < event.insertBegan()) {
                latest = laterDelivered(latest, byCommit.get(next));
                next++;
            }
            findings.compare(latest, event);
        }
    }

    private void findReorderedInTransactions(Collection<Written> sameKey, Findings findings) {
        Map<Transaction, List<Written>> byTransaction = new HashMap<>();
        for (Written event : sameKey) {
            byTransaction
                    .computeIfAbsent(event.transaction(), transaction -> new ArrayList<>())
                    .add(event);
        }
        for (List<Written> sameTransaction : byTransaction.values()) {
            sameTransaction.sort(Comparator.comparingInt(Written::index));
            Written latest = null;
            for (Written event : sameTransaction) {
                findings.compare(latest, event);
                latest = laterDelivered(latest, event);
            }
        }
    }

    private Written laterDelivered(@Nullable Written one, Written other) {
        return one == null || sequence(other) > sequence(one) ? other : one;
    }

    private long sequence(Written event) {
        return firstDeliveries.get(event.id()).sequence();
    }

    /** Collects while the verdict is made. */
    private final class Findings {
        private static final int MAX_EXAMPLES = 10;

        long lost;
        long phantom;
        final Set<UUID> reordered = new HashSet<>();
        final List<String> examples = new ArrayList<>();

        void lost(Written event) {
            lost++;
            example("lost: " + event.id() + " of key " + event.key());
        }

        void phantom(UUID id, @Nullable Written event) {
            phantom++;
            example("phantom: " + id + (event == null ? " was never written" : " was rolled back"));
        }

        void compare(@Nullable Written earlier, Written later) {
            if (earlier != null && sequence(earlier) > sequence(later) && reordered.add(later.id())) {
                example("reordered: " + later.id() + " came before " + earlier.id() + " of key " + later.key());
            }
        }

        private void example(String text) {
            if (examples.size() < MAX_EXAMPLES) {
                examples.add(text);
            }
        }
    }
}
