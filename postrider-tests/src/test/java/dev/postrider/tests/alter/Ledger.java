package dev.postrider.tests.alter;

import dev.postrider.OutboxEvent;
import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalDestination;
import dev.postrider.publish.TransactionalPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A destination with transactions that keeps its books in memory. Any thread. */
public final class Ledger implements Publisher, TransactionalDestination {

    /** What becomes of commits. */
    public enum Commits {
        KEPT,
        /** Committed, but nobody hears so. */
        UNHEARD,
        LOST
    }

    private final Map<String, String> positions = new HashMap<>();
    private final Map<String, Integer> epochs = new HashMap<>();
    private final Consumer<OutboxEvent> reader;
    private Function<OutboxEvent, PublishResult> script = event -> new PublishResult.Accepted();
    private Commits commits = Commits.KEPT;
    private boolean reachable = true;
    private int unreachableFor;

    /**
     * @param reader sees what was committed, and what was published without a transaction
     */
    public Ledger(Consumer<OutboxEvent> reader) {
        this.reader = reader;
    }

    public synchronized void answer(Function<OutboxEvent, PublishResult> answers) {
        script = answers;
    }

    /** From the next commit on; unless they are kept, nobody can take a line over until {@link #repair}. */
    public synchronized void commits(Commits fate) {
        commits = fate;
    }

    public synchronized boolean isReachable() {
        return reachable;
    }

    /** How often somebody could not take a line over. */
    public synchronized int unreachableFor() {
        return unreachableFor;
    }

    public synchronized void repair() {
        reachable = true;
        commits = Commits.KEPT;
    }

    public synchronized void breakDown() {
        reachable = false;
    }

    public synchronized void loseAllPositions() {
        positions.clear();
    }

    // ---- without transactions

    @Override
    public String destination(OutboxEvent event) {
        return "ledger";
    }

    @Override
    public synchronized CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        PublishResult result = script.apply(event);
        if (result instanceof PublishResult.Accepted) {
            reader.accept(event);
        }
        return CompletableFuture.completedFuture(result);
    }

    // ---- with transactions

    @Override
    public TransactionalPublisher pipeline(String outboxId, int shard, int shards, Duration timeout) {
        return new Line(outboxId + "/" + shard);
    }

    private final class Line implements TransactionalPublisher {
        private final String id;
        private final List<OutboxEvent> open = new ArrayList<>();
        private int epoch = -1;

        Line(String id) {
            this.id = id;
        }

        @Override
        public @Nullable String takeOver() throws DestinationUnavailableException {
            synchronized (Ledger.this) {
                if (!reachable) {
                    unreachableFor++;
                    throw new DestinationUnavailableException("the ledger is closed", new IllegalStateException());
                }
                epoch = epochs.merge(id, 1, Integer::sum);
                open.clear();
                return positions.get(id);
            }
        }

        @Override
        public String destination(OutboxEvent event) {
            return "ledger";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            synchronized (Ledger.this) {
                PublishResult result = script.apply(event);
                if (result instanceof PublishResult.Accepted) {
                    open.add(event);
                }
                return CompletableFuture.completedFuture(result);
            }
        }

        @Override
        public void commit(String position) throws OutcomeUnknownException {
            synchronized (Ledger.this) {
                boolean fenced = epochs.getOrDefault(id, 0) != epoch;
                if (!fenced && commits != Commits.LOST) {
                    positions.put(id, position);
                    open.forEach(reader);
                }
                open.clear();
                if (fenced || commits != Commits.KEPT) {
                    reachable = commits == Commits.KEPT && reachable;
                    throw new OutcomeUnknownException("nobody knows", new IllegalStateException());
                }
            }
        }

        @Override
        public boolean abort() {
            open.clear();
            return true;
        }
    }
}
