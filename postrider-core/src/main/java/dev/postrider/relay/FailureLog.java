package dev.postrider.relay;

import dev.postrider.store.Settlement;
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
        log.debug("[{}] event {} failed, next attempt in {}: {}", name, event, failed.delay(), failed.error());
        unwarned++;
        long now = System.nanoTime();
        if (now - nextWarning >= 0) {
            log.warn("[{}] {} attempts failed, the last of event {}: {}", name, unwarned, event, failed.error());
            unwarned = 0;
            nextWarning = now + INTERVAL;
        }
    }
}
