package dev.postrider.kafka;

import dev.postrider.publish.PublishResult;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What a producer has been given and has not answered. A producer answers everything within its delivery timeout, with two
 * exceptions: while it waits for its id, which brokers without controllers cannot give, it heeds no timeout; and after an
 * {@code Error} its thread is dead. In both it answers nothing at all, and the relay would wait for ever.
 *
 * <p>The relay's thread sends and looks; the producer's thread answers.
 */
final class Unanswered {
    /** How much longer than its delivery timeout a producer may take. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Duration patience;
    private final Set<CompletableFuture<PublishResult>> waiting = ConcurrentHashMap.newKeySet();

    /** When something was answered last, or sent while nothing was unanswered. */
    private volatile long since = System.nanoTime();

    /**
     * @param deliveryTimeout the producer's own
     */
    Unanswered(Duration deliveryTimeout) {
        this.patience = deliveryTimeout.plus(GRACE);
    }

    void sent(CompletableFuture<PublishResult> answer) {
        if (waiting.isEmpty()) {
            since = System.nanoTime();
        }
        waiting.add(answer);
        if (answer.isDone()) {
            waiting.remove(answer);
        }
    }

    /** After the answer is known, by the producer's thread; what is refused before it gets there is no sign of life. */
    void answered(CompletableFuture<PublishResult> answer) {
        since = System.nanoTime();
        waiting.remove(answer);
    }

    /** Whether answers will not come any more. */
    boolean areLate() {
        return !waiting.isEmpty() && System.nanoTime() - since > patience.toNanos();
    }

    /** In the place of a producer that is closed. */
    void answerAll(Supplier<PublishResult> result) {
        waiting.forEach(answer -> answer.complete(result.get()));
        waiting.clear();
    }

    Duration patience() {
        return patience;
    }
}
