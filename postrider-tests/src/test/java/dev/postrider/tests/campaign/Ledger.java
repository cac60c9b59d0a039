package dev.postrider.tests.campaign;

import dev.postrider.cli.demo.DeliveryProof;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What was written and what came, of one configuration: a {@link DeliveryProof} of the events that have to come, and beside
 * it those that must not come, and those of which nobody knows. Any thread.
 */
final class Ledger {
    private final DeliveryProof proof = new DeliveryProof();
    private final Map<Long, List<Note>> open = new HashMap<>();
    private final Map<UUID, Note> committed = new HashMap<>();
    private final Map<UUID, Integer> hostile = new HashMap<>();
    private final Set<UUID> soon = new HashSet<>();
    private long hostileRows;
    private long strange;

    /** What an event of a writer is like. */
    enum Nature {
        PLAIN,
        LARGE,
        /** The destination answers late. */
        SLOW,
        /** The destination refuses it for a while, and its key is closed meanwhile. */
        REFUSED,
        /** For a topic that may be missing for a while. */
        ASIDE,
        /** Comes later, in no order. */
        SCHEDULED,
        /** Too large: never comes, and becomes a dead letter. */
        REJECTED;

        boolean comesAtOnce() {
            return this == PLAIN || this == LARGE || this == SLOW;
        }
    }

    private record Note(UUID id, Nature nature) {}

    /** Before it is inserted. */
    synchronized void written(UUID id, String key, Nature nature, long tx, int index) {
        open.computeIfAbsent(tx, any -> new ArrayList<>()).add(new Note(id, nature));
        if (nature != Nature.REJECTED) {
            // What is scheduled has no order, so it gets a key of its own here.
            String orderedBy = nature == Nature.SCHEDULED ? key + " at its time, " + id : key;
            proof.written(id, orderedBy, System.nanoTime(), tx, index);
        }
    }

    synchronized void committed(long tx) {
        long at = System.nanoTime();
        List<Note> notes = open.remove(tx);
        for (Note note : notes) {
            committed.put(note.id(), note);
            if (note.nature().comesAtOnce() && proof.deliveriesOf(note.id()) == 0) {
                soon.add(note.id());
            }
        }
        if (isInProof(notes)) {
            proof.committed(tx, at);
        }
    }

    synchronized void rolledBack(long tx) {
        if (isInProof(open.remove(tx))) {
            proof.rolledBack(tx);
        }
    }

    synchronized void inDoubt(long tx) {
        List<Note> notes = open.remove(tx);
        // Perhaps there was not even a connection to write anything on.
        if (notes != null && isInProof(notes)) {
            proof.inDoubt(tx);
        }
    }

    private static boolean isInProof(List<Note> notes) {
        return notes.stream().anyMatch(note -> note.nature() != Nature.REJECTED);
    }

    /** Before a row is inserted of which nobody knows what becomes of it. */
    synchronized void hostile(UUID id) {
        hostile.put(id, 0);
    }

    /** The database has accepted it. */
    synchronized void hostileCommitted() {
        hostileRows++;
    }

    synchronized void received(UUID id) {
        if (hostile.computeIfPresent(id, (any, times) -> times + 1) == null) {
            proof.received(id, System.nanoTime());
            soon.remove(id);
        }
    }

    /** A record that only a hostile row can have become. */
    synchronized void receivedStrange() {
        strange++;
    }

    /** Committed events that could have come and have not. */
    synchronized int inFlight() {
        return soon.size();
    }

    DeliveryProof proof() {
        return proof;
    }

    /** Whether everything that was committed and is like this has come. */
    synchronized boolean isAllDelivered(Nature nature) {
        return committed.values().stream()
                .allMatch(note -> note.nature() != nature || proof.deliveriesOf(note.id()) > 0);
    }

    /** Committed events that have to become dead letters. */
    synchronized Set<UUID> rejected() {
        Set<UUID> rejected = new HashSet<>();
        committed.forEach((id, note) -> {
            if (note.nature() == Nature.REJECTED) {
                rejected.add(id);
            }
        });
        return rejected;
    }

    synchronized boolean hasToCome(UUID id) {
        Note note = committed.get(id);
        return note != null && note.nature() != Nature.REJECTED;
    }

    synchronized boolean isHostile(UUID id) {
        return hostile.containsKey(id);
    }

    synchronized int deliveriesOf(UUID id) {
        return hostile.containsKey(id) ? hostile.get(id) : proof.deliveriesOf(id);
    }

    synchronized long hostileRows() {
        return hostileRows;
    }

    synchronized long hostileDelivered() {
        return strange + hostile.values().stream().filter(times -> times > 0).count();
    }
}
