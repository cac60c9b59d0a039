package dev.postrider.devservices;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition that nobody announces, such as a file written by another process. */
final class Waiting {

    private static final long PAUSE_MILLIS = 15;

    /** Returns whether the condition came true within the limit. */
    static boolean until(Duration limit, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                return false;
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DevServicesException("interrupted while waiting for a server", e);
            }
        }
        return true;
    }

    private Waiting() {}
}
