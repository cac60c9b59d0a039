package dev.postrider.internal.relay;

import dev.postrider.internal.lifecycle.Restarts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A shard whose workers keep failing with the same problem, such as positions that are lost: each of them would be started
 * at once, say the same, and leave a row in the history of the cursor. Any thread.
 */
final class Setbacks {
    private final Restarts restarts = new Restarts();
    private @Nullable String told;

    synchronized boolean isNews(String problem) {
        boolean news = !problem.equals(told) || restarts.isHealthy();
        told = problem;
        return news;
    }

    Duration failed() {
        return restarts.failed();
    }

    void started() {
        restarts.started();
    }

    boolean isOver() {
        return restarts.isOver();
    }
}
