package dev.postrider.kafka;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.kafka.Envelope;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.TopicRouting;
import dev.postrider.publish.TransactionalPublisher;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;

/**
 * The line of one shard to Kafka: events and the position in one transaction. One relay thread calls it, except for
 * {@link #halt}, {@link #resume} and {@link #close}, which any thread may call at any time, also while another
 * call is waiting for Kafka.
 *
 * <p>A producer serves from one {@link #takeOver} until the first commit whose outcome is unknown, the first abort that
 * fails, or until the line is stopped. From then on, and before the first take-over, events are answered as unresolved.
 */
final class TransactionalPipeline implements TransactionalPublisher {
    private final Map<String, Object> settings;
    private final PositionsTopic positions;
    private final int shard;
    private final TopicRouting routing;
    private final KnownTopics topics;
    private final TopicUse topicUse;
    private final Silence silence;

    /** Guards the next three, never while waiting for Kafka: who stops the line must not wait behind who uses it. */
    private final Object state = new Object();

    private @Nullable TransactionalProducer producer;
    private boolean stopped;
    private boolean closed;

    TransactionalPipeline(
            Map<String, Object> settings,
            PositionsTopic positions,
            int shard,
            TopicRouting routing,
            Envelope envelope,
            KnownTopics topics) {
        this.settings = settings;
        this.positions = positions;
        this.shard = shard;
        this.routing = routing;
        this.topics = topics;
        this.topicUse = new TopicUse(topics, envelope);
        this.silence = Silence.inTransactions(topics, System::nanoTime);
    }

    /**
     * {@inheritDoc}
     *
     * <ol>
     *   <li>The positions topic is made if it is missing, and checked. Before anyone is shut out: whoever holds this shard
     *       with the right settings need not suffer from the wrong ones here.
     *   <li>{@code initTransactions} shuts the holder before out and completes its transaction.
     *   <li>Only then is the position read: nobody but this line can write one any more.
     *   <li>What may still be open in the topics of events is looked for when the first event goes to each ({@link Leftovers}).
     * </ol>
     *
     * A stopped line cannot be taken over before it is resumed; one that is stopped meanwhile is not taken over.
     *
     * @throws dev.postrider.PostriderException if there is a positions topic that does not fit
     */
    @Override
    public @Nullable String takeOver() throws DestinationUnavailableException {
        end();
        silence.beginAnew();
        use(null);
        positions.prepare();
        TransactionalProducer fresh = null;
        boolean taken = false;
        try {
            fresh = new TransactionalProducer(settings, topics, silence);
            use(fresh);
            fresh.shutOutEarlierOnes();
            PositionRecord last = positions.read(shard);
            fresh.mindful(new Leftovers(settings, last == null ? List.of() : last.witnesses()));
            use(fresh);
            taken = true;
            return last == null ? null : last.position();
        } catch (RuntimeException e) {
            throw notTakenOver(e);
        } finally {
            if (fresh != null && !taken) {
                fresh.end();
            }
        }
    }

    /** From now on whoever stops the line stops this producer. */
    private void use(@Nullable TransactionalProducer next) throws DestinationUnavailableException {
        synchronized (state) {
            if (stopped || closed) {
                throw notTakenOver(new IllegalStateException("it is " + (closed ? "closed" : "stopped")));
            }
            producer = next;
        }
    }

    private DestinationUnavailableException notTakenOver(RuntimeException e) {
        return new DestinationUnavailableException(
                this + " was not taken over: " + FailureClasses.rootMessage(e) + ". It can be tried again.", e);
    }

    @Override
    public String destination(OutboxEvent event) {
        return routing.topicOf(event.type());
    }

    @Override
    public CompletionStage<?> ready(String destination) {
        TransactionalProducer current = current();
        if (current == null || current.hasEnded()) {
            return READY;
        }
        CompletionStage<?> leftovers = current.ready(destination);
        CompletionStage<?> known = topicUse.ready(destination);
        return leftovers.toCompletableFuture().isDone() ? known : leftovers.thenCompose(done -> known);
    }

    @Override
    public int releasable(String blocked) {
        TransactionalProducer current = current();
        return current == null || current.hasEnded() ? 0 : topicUse.releasable(blocked);
    }

    @Override
    public Map<String, String> blocked() {
        return topicUse.blocked();
    }

    @Override
    public void onRelease(Runnable wake) {
        topicUse.onRelease(wake);
    }

    /** A topic that takes nothing is told of before anything is sent: the transaction goes on without its events. */
    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        TransactionalProducer current = current();
        if (current == null || current.hasEnded()) {
            return CompletableFuture.completedFuture(new PublishResult.Unresolved());
        }
        return topicUse.publish(event, destination, current::send);
    }

    /** Always: what is accepted after a failed event is undone with it. */
    @Override
    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
        return true;
    }

    @Override
    public void flush() {
        TransactionalProducer current = current();
        if (current != null) {
            current.lingerNoLonger();
        }
    }

    @Override
    public void expireOverdue() {
        TransactionalProducer current = current();
        if (current != null) {
            current.giveUpIfLate();
        }
    }

    @Override
    public void confirm() throws DestinationUnavailableException {
        TransactionalProducer current = current();
        try {
            if (current == null || current.hasEnded()) {
                throw new IllegalStateException("it has been stopped");
            }
            current.confirmLastCommit();
        } catch (RuntimeException e) {
            end();
            throw new DestinationUnavailableException(
                    this + " cannot tell whether its last transaction is in effect: " + FailureClasses.rootMessage(e)
                            + ".",
                    e);
        }
    }

    @Override
    public boolean isIntact() {
        TransactionalProducer current = current();
        return current != null && !current.hasEnded() && current.isIntact();
    }

    @Override
    public void commit(String position) throws NotCommittedException, OutcomeUnknownException {
        TransactionalProducer current = current();
        try {
            if (current == null) {
                throw new IllegalStateException("the shard has not been taken over");
            }
            current.commitWith(positions.record(shard, position));
        } catch (RuntimeException e) {
            // Not tried again here: only who has taken over knows whether it took place.
            end();
            throw new OutcomeUnknownException(
                    this + " cannot tell whether its transaction was committed: " + FailureClasses.rootMessage(e)
                            + ". Nothing more is sent until the shard has been taken over again.",
                    e);
        }
    }

    @Override
    public boolean abort() {
        TransactionalProducer current = current();
        if (current == null) {
            return false;
        }
        try {
            current.abort();
        } catch (RuntimeException e) {
            end();
        }
        return !current.hasEnded();
    }

    /**
     * Gives up what is in flight; no commit that begins after this takes place. One under way still may, so that whoever
     * comes next learns the position by taking over. An open transaction is not aborted, which would mean to wait for
     * Kafka: it ends with its timeout or the next take-over, and until then hides what is behind it in its topics from
     * consumers that read committed events only. Who has the time aborts first.
     */
    @Override
    public void halt() {
        synchronized (state) {
            stopped = true;
        }
        end();
    }

    /** The line can be taken over again; until it is, events are still answered as unresolved. */
    @Override
    public void resume() {
        synchronized (state) {
            stopped = false;
        }
    }

    /** For good, and otherwise as {@link #halt}. */
    @Override
    public void close() {
        synchronized (state) {
            closed = true;
        }
        end();
        topicUse.close();
    }

    private void end() {
        TransactionalProducer current = current();
        if (current != null) {
            current.end();
        }
    }

    private @Nullable TransactionalProducer current() {
        synchronized (state) {
            return producer;
        }
    }

    @Override
    public String toString() {
        return "The line of transactional id " + settings.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    }
}
