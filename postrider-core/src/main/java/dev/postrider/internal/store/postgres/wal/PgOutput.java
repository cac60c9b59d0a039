package dev.postrider.internal.store.postgres.wal;

import java.nio.ByteBuffer;
import java.util.OptionalInt;

/**
 * Reads messages of the output plugin {@code pgoutput}, of which only the commits of transactions with inserts matter here. A
 * large transaction comes in pieces before it has committed, between those of others, and may roll back at the end.
 *
 * <p>Called by one thread, with every message in its order.
 */
final class PgOutput {
    private int transaction;
    private boolean inserted;
    private boolean inPiece;

    /**
     * @return the number of a transaction that has committed inserts, of which the stream has the lower 32 bits
     */
    OptionalInt read(ByteBuffer message) {
        switch (message.get()) {
            case 'B' -> {
                // The position of its commit, and the time.
                message.position(message.position() + 2 * Long.BYTES);
                transaction = message.getInt();
                inserted = false;
            }
            case 'I' -> inserted |= !inPiece;
            case 'C' -> {
                // Servers before version 15 also tell of transactions that touched other tables only.
                return inserted ? OptionalInt.of(transaction) : OptionalInt.empty();
            }
            case 'S' -> inPiece = true;
            case 'E' -> inPiece = false;
            case 'c' -> {
                return OptionalInt.of(message.getInt());
            }
            default -> {
                // Tables, types, and pieces that were rolled back.
            }
        }
        return OptionalInt.empty();
    }
}
