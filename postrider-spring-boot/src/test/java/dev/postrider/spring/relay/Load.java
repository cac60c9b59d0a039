package dev.postrider.spring.relay;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.support.TransactionTemplate;

/** An application at work: it writes events for as long as its context lets it, and some more with its last breath. */
final class Load implements SmartLifecycle {
    private static final int WRITERS = 2;
    private static final int LAST = 200;

    private final String type;
    private final Outbox outbox;
    private final TransactionTemplate transactions;
    private final Set<String> committed;
    private volatile boolean running;
    private List<Thread> writers = List.of();

    /**
     * @param type of the events
     * @param committed takes the aggregates of events whose transaction has committed
     */
    Load(String type, Outbox outbox, TransactionTemplate transactions, Set<String> committed) {
        this.type = type;
        this.outbox = outbox;
        this.transactions = transactions;
        this.committed = committed;
    }

    @Override
    public void start() {
        running = true;
        writers = Stream.generate(() -> new Thread(this::writeOn, "load"))
                .limit(WRITERS)
                .toList();
        writers.forEach(Thread::start);
    }

    private void writeOn() {
        while (running) {
            write(1);
        }
    }

    private void write(int count) {
        List<String> ids = IntStream.range(0, count)
                .mapToObj(i -> UUID.randomUUID().toString())
                .toList();
        transactions.executeWithoutResult(status -> ids.forEach(id -> outbox.write(
                OutboxEvent.builder(type).aggregate("load", id).json("{}").build())));
        committed.addAll(ids);
    }

    /** The relay, which stops next, has just been told of the last ones. */
    @Override
    public void stop() {
        running = false;
        for (Thread writer : writers) {
            try {
                writer.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        write(LAST);
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
