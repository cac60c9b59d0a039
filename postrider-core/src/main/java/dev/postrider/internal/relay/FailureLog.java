package dev.postrider.internal.relay;

import dev.postrider.internal.store.Settlement;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of failed attempts: the first at once, and then at most one line every ten seconds for all of
 * them together. Each is in the log at DEBUG. Called by the relay's thread.
 */
final class FailureLog {
    private static final Logger log = LoggerFactory.getLogger(RelayLoop.class);
    private static final long INTERVAL = Duration.ofSeconds(10).toNanos();

    private final String name;
    private long unwarned;
    private long nextWarning = System.nanoTime();

    FailureLog(String name) {
        this.name = name;
    }

    void add(UUID event, Settlement.Failed failed) {
        // The attempt that was made, whether or not it counts.
        int attempt = failed.claim().attempts() + 1;
        log.debug(
                "[{}] event {} (row {}) failed at attempt {}, the next in {} ms: {}",
                name,
                event,
                failed.claim().id(),
                attempt,
                failed.delay().toMillis(),
                failed.error());
        unwarned++;
        long now = System.nanoTime();
        if (now - nextWarning >= 0) {
            log.warn(
                    "[{}] event {} (row {}) failed at attempt {}, the next in {} ms: {}{}",
                    name,
                    event,
                    failed.claim().id(),
                    attempt,
                    failed.delay().toMillis(),
                    failed.error(),
                    unwarned == 1 ? "" : " (" + (unwarned - 1) + " other attempts failed since the last such line)");
            unwarned = 0;
            nextWarning = now + INTERVAL;
        }
    }
}
