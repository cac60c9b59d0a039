package dev.postrider.internal.write;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * Makes UUIDs of version 7 (RFC 9562): 48 bits of Unix milliseconds, a 12-bit counter that keeps ids
 * of one process growing within a millisecond, 62 random bits. Any thread.
 */
public final class UuidV7 {
    private static final int COUNTER_BITS = 12;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Milliseconds and counter of the last id in one number, so that "greater" is one comparison. */
    private static long last;

    private UuidV7() {}

    public static UUID next() {
        long ticks = nextTicks(System.currentTimeMillis());
        long high = (ticks >>> COUNTER_BITS) << 16 | 0x7000 | ticks & 0xFFF;
        long low = RANDOM.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    /** A clock that is set back, or more than 4096 ids in a millisecond, borrows from the future. */
    private static synchronized long nextTicks(long millis) {
        last = Math.max(last + 1, millis << COUNTER_BITS);
        return last;
    }
}
