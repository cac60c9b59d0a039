package dev.postrider.kafka.consume;

import dev.postrider.failure.Backoff;
import dev.postrider.internal.lifecycle.Service;
import dev.postrider.kafka.consume.Handling.Abandoned;
import dev.postrider.kafka.consume.Handling.Failed;
import dev.postrider.kafka.consume.Handling.Handled;
import dev.postrider.kafka.consume.Handling.Outage;
import dev.postrider.kafka.consume.Handling.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.KafkaException;

/**
 * What a consumer does, over and over, on its one thread:
 *
 * <ol>
 *   <li>Read the next batch; while something is ready to be handled, nothing is read, but the group is told that this member
 *       is alive. Partitions of which something waits are not read on.
 *   <li>Hand over what is ready, for a second at most, so that a group never waits for long for one that has much to do.
 *   <li>Commit each partition up to the first record that is not done. Nothing more is read before that has succeeded.
 * </ol>
 *
 * <p>Nobody sleeps for a retry: a record that failed is set aside until it is due, its key with it, and the loop goes on. So the
 * longest time between two polls is a second and one call of the handler.
 */
final class ConsumerLoop {
    private static final long SLICE = Duration.ofSeconds(1).toNanos();

    /** How long what is down is left alone: the handler's database, the dead letter topics, the brokers. */
    private static final Backoff LEFT_ALONE =
            new Backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(30), 0.1, Integer.MAX_VALUE);

    private final ReadingSide.Opening opening;
    private final Handling handling;
    private final Backoff retry;
    private final DeadLetterTopics deadLetters;
    private final ConsumerListener listener;
    private final ConsumerLog log;
    private final CountDownLatch stop = new CountDownLatch(1);

    /** Nothing is handed over before this time, after so many failures in a row. */
    private final Rest outage = new Rest();

    private final Rest refusal = new Rest();
    private final Rest connection = new Rest();

    /** Something is left alone for a time that grows with each failure in a row. */
    private static final class Rest {
        private int failures;
        private long until;

        private Duration failed() {
            Duration delay = LEFT_ALONE.delayBefore(++failures);
            until = System.nanoTime() + delay.toNanos();
            return delay;
        }

        private void succeeded() {
            failures = 0;
        }

        private boolean isOver() {
            return failures == 0 || System.nanoTime() - until >= 0;
        }
    }

    /**
     * @param deadLetters closed at the end
     */
    ConsumerLoop(
            ReadingSide.Opening opening,
            Handling.Handlers handlers,
            Backoff retry,
            DeadLetterTopics deadLetters,
            ConsumerListener listener) {
        this.opening = opening;
        this.handling = new Handling(handlers, this::isStopping);
        this.retry = retry;
        this.deadLetters = deadLetters;
        this.listener = listener;
        this.log = opening.log();
    }

    /** As {@link Service.Pass}. */
    long pass() {
        serve();
        return isStopping() ? Service.END : 0;
    }

    /** As {@link Service.OnFailure}: whatever it was, an {@code Error} too, another client begins where the last one committed. */
    long failed(Throwable e) {
        // The thread is the consumer's own. An interrupt is a leftover of some handler, and no reason to hurry.
        Thread.interrupted();
        Duration delay = connection.failed();
        log.reconnects(e, delay);
        return delay.toNanos();
    }

    void end() {
        deadLetters.close();
    }

    /** One client from its first poll to its first error, or to the end. */
    private void serve() {
        InHand inHand = new InHand();
        try (ReadingSide kafka = opening.open(inHand)) {
            while (!isStopping()) {
                boolean idle = !outage.isOver() || !inHand.hasReady(System.nanoTime());
                kafka.read(idle, handling.takesAnything());
                connection.succeeded();
                handle(inHand);
                kafka.commit();
            }
            // What was handled is committed by closing.
        }
    }

    private void handle(InHand inHand) {
        long now = System.nanoTime();
        if (handling.takesBatches() && outage.isOver()) {
            List<Entry> batch = inHand.batch();
            // One alone is no batch: its failure would be its own, and is counted below.
            if (batch.size() > 1) {
                handleTogether(batch);
            }
        }
        inHand.eachReady(now, entry -> {
            if (isStopping() || System.nanoTime() - now > SLICE) {
                return false;
            }
            if (entry.givenUp() == null) {
                if (!outage.isOver()) {
                    return true;
                }
                handleAlone(entry);
            }
            if (entry.givenUp() != null) {
                bury(entry);
            }
            return true;
        });
    }

    private void handleTogether(List<Entry> batch) {
        Outcome outcome = handling.batch(batch);
        if (outcome instanceof Handled handled) {
            outage.succeeded();
            batch.forEach(Entry::done);
            Duration share = Duration.ofNanos(handled.nanos() / batch.size());
            batch.forEach(entry -> listener.handled(entry.origin(), share));
        } else if (outcome instanceof Failed failed) {
            outage.succeeded();
            batch.forEach(Entry::batchFailed);
            log.batchFailed(batch.size(), failed.error());
            listener.batchFailed(batch.size(), failed.error());
        } else if (outcome instanceof Outage down) {
            isDown(down.error());
        }
    }

    private void handleAlone(Entry entry) {
        Outcome outcome = handling.single(entry);
        if (outcome instanceof Handled handled) {
            outage.succeeded();
            entry.done();
            listener.handled(entry.origin(), Duration.ofNanos(handled.nanos()));
        } else if (outcome instanceof Failed failed) {
            outage.succeeded();
            int attempt = entry.countAttempt();
            if (failed.hopeless() || attempt > retry.maxRetries()) {
                entry.giveUp(failed.error());
            } else {
                Duration delay = retry.delayBefore(attempt);
                entry.waitUntil(System.nanoTime() + delay.toNanos());
                log.failed(entry, failed.error(), delay);
            }
            listener.failed(entry.origin(), failed.error(), attempt);
        } else if (outcome instanceof Outage down) {
            isDown(down.error());
        } else if (!(outcome instanceof Abandoned)) {
            throw new IllegalStateException("unknown outcome " + outcome);
        }
    }

    private void isDown(Throwable error) {
        log.outage(error, outage.failed());
        listener.outage(error);
    }

    /** The record is done only when the dead letter topic has it. */
    private void bury(Entry entry) {
        if (!refusal.isOver()) {
            entry.waitUntil(refusal.until);
            return;
        }
        Throwable reason = Objects.requireNonNull(entry.givenUp());
        String topic = deadLetters.topicOf(entry.origin());
        try {
            deadLetters.write(entry, reason);
        } catch (KafkaException e) {
            Duration delay = refusal.failed();
            entry.waitUntil(refusal.until);
            log.refused(entry, topic, e, delay);
            listener.deadLetterRefused(entry.origin(), e);
            return;
        } catch (InterruptedException e) {
            // A stop interrupts handlers only. It is a leftover of one; the record stays where it is, and is due at
            // once.
            return;
        }
        refusal.succeeded();
        entry.done();
        log.deadLettered(entry, topic, reason);
        listener.deadLettered(entry.origin(), topic, entry.attempts());
    }

    private boolean isStopping() {
        return stop.getCount() == 0;
    }

    /** Any thread: nothing more is handed over, and the thread ends when the handler has returned. */
    void askToStop() {
        stop.countDown();
    }

    /** Any thread: after {@link #askToStop}, for a handler that takes too long. */
    void interruptHandler() {
        handling.interrupt();
    }
}
