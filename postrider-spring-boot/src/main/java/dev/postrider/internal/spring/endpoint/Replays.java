package dev.postrider.internal.spring.endpoint;

import dev.postrider.admin.ReplayReport;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.internal.spring.relay.RelayDestination;
import dev.postrider.publish.Publisher;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends published events once more, for as long as a request may take; the caller continues where it stopped. One at a time in
 * this application. Each has a publisher of its own: the relay's is the relay's.
 */
public final class Replays {
    private static final Duration LENGTH = Duration.ofSeconds(20);

    private final ReentrantLock busy = new ReentrantLock();

    ReplayReport run(OperatedOutbox outbox, ReplayRequest request, String actor) {
        RelayDestination to = outbox.destination();
        if (to == null) {
            throw RefusedException.badRequest(
                    "This application has no destination, since it only writes: ask one that has a"
                            + " relay. Nothing was sent.");
        }
        if (!to.isRepeatable()) {
            throw RefusedException.badRequest(
                    "The application's publisher is in use by the relay, and a replay needs one of its"
                            + " own: give its bean the scope prototype. Nothing was sent.");
        }
        if (!busy.tryLock()) {
            throw RefusedException.conflict("Another replay is under way in this application. Nothing was sent.");
        }
        try (Publisher publisher = to.publisher()) {
            long end = System.nanoTime() + LENGTH.toNanos();
            return outbox.admin().replay(request, publisher, () -> System.nanoTime() - end >= 0, actor);
        } finally {
            busy.unlock();
        }
    }
}
