package dev.postrider.internal.store.log;

import java.util.Arrays;

/**
 * Which transactions had ended at a moment: those below {@code end} that are not {@code running}.
 *
 * @param text as the database writes it
 * @param end one more than the latest transaction that had ended; later ones may be running too
 * @param running in ascending order
 */
public record Snapshot(String text, long end, long[] running) {

    /** Reads {@code xmin:xmax:xip,xip…}. */
    public static Snapshot parse(String text) {
        String[] parts = text.split(":", -1);
        long[] running = parts[2].isEmpty()
                ? new long[0]
                : Arrays.stream(parts[2].split(",")).mapToLong(Long::parseLong).toArray();
        return new Snapshot(text, Long.parseLong(parts[1]), running);
    }

    public boolean sees(long transaction) {
        return transaction < end && Arrays.binarySearch(running, transaction) < 0;
    }

    /** No transaction below this one has become visible since. */
    public long firstNewIn(Snapshot later) {
        for (long transaction : running) {
            if (later.sees(transaction)) {
                return transaction;
            }
        }
        return end;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Snapshot snapshot && text.equals(snapshot.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
