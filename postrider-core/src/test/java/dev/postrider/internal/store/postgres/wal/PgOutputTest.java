package dev.postrider.internal.store.postgres.wal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Which of the stream's messages ring. */
class PgOutputTest {
    private static final int LARGE = (int) 4_000_000_000L;

    private final PgOutput output = new PgOutput();

    @Test
    void transactionRingsWhenItHasCommittedInserts() {
        assertThat(begin(7)).isEmpty();
        assertThat(message('R')).isEmpty();
        assertThat(message('I')).isEmpty();
        assertThat(message('C')).hasValue(7);
    }

    @Test
    void transactionOfOtherTablesDoesNotRing() {
        begin(7);
        message('I');
        message('C');
        begin(8);

        assertThat(message('C')).isEmpty();
    }

    @Test
    void largeTransactionRingsWhenItHasCommittedAndNotWithThoseBetweenItsPieces() {
        piece(LARGE);
        message('I');
        message('E');
        begin(8);
        assertThat(message('C')).as("had no inserts of its own").isEmpty();
        piece(LARGE);
        message('E');

        assertThat(numbered('c', LARGE)).hasValue(LARGE);
    }

    @Test
    void largeTransactionThatRollsBackDoesNotRing() {
        piece(9);
        message('I');
        message('E');

        assertThat(numbered('A', 9)).isEmpty();
    }

    private OptionalInt begin(int transaction) {
        return output.read(ByteBuffer.allocate(21)
                .put((byte) 'B')
                .putLong(1)
                .putLong(2)
                .putInt(transaction)
                .flip());
    }

    private void piece(int transaction) {
        assertThat(numbered('S', transaction)).isEmpty();
    }

    private OptionalInt numbered(char kind, int transaction) {
        return output.read(
                ByteBuffer.allocate(5).put((byte) kind).putInt(transaction).flip());
    }

    private OptionalInt message(char kind) {
        return output.read(ByteBuffer.allocate(1).put((byte) kind).flip());
    }
}
