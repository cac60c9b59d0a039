package dev.postrider.cli.demo;

import dev.postrider.CommitNotifier;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The bank's business: several threads move money and write events in the same transactions. Every
 * fifth transfer writes two events, in turns of one account and of both; every fiftieth changes its
 * mind after writing and rolls back.
 */
final class Transfers implements AutoCloseable {
    static final int THREADS = 4;
    static final String TOPIC = "transfer-events";

    private static final String SENT = "postrider.transfer.sent.v1";
    private static final String RECEIVED = "postrider.transfer.received.v1";
    private static final String CONFIRMED = "postrider.transfer.confirmed.v1";
    private static final int ROLLBACK_EVERY = 50;
    private static final int TWO_EVENTS_EVERY = 5;

    private final DataSource dataSource;
    private final CommitNotifier notifier;
    private final DeliveryProof proof;
    private final Outbox outbox = Outbox.builder().source("postrider-demo").build();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /** Guarded by this object, like everything that hands out work. */
    private int remaining;

    private long transfersBegun;
    private int rate;
    private long eventsBegun;
    private long begin;

    Transfers(DataSource dataSource, CommitNotifier notifier, DeliveryProof proof) {
        this.dataSource = dataSource;
        this.notifier = notifier;
        this.proof = proof;
    }

    /**
     * Begins to write so many events; one call's must be written before the next.
     *
     * @param perSecond 0 means as fast as possible
     * @return one task for each thread
     */
    synchronized List<Future<?>> begin(int events, int perSecond) {
        remaining = events;
        rate = perSecond;
        eventsBegun = 0;
        begin = System.nanoTime();
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            tasks.add(threads.submit(() -> {
                transferUntilDone();
                return null;
            }));
        }
        return tasks;
    }

    private void transferUntilDone() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (Order order = next(); order != null; order = next()) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                LockSupport.parkNanos(order.due() - System.nanoTime());
                execute(connection, order);
            }
        }
    }

    private record Order(long number, int events, boolean rollBack, long due) {}

    private synchronized @Nullable Order next() {
        if (remaining == 0) {
            return null;
        }
        long number = transfersBegun++;
        int events = Math.min(remaining, number % TWO_EVENTS_EVERY == 0 ? 2 : 1);
        boolean rollBack = number % ROLLBACK_EVERY == ROLLBACK_EVERY - 1;
        long due = rate == 0 ? begin : begin + eventsBegun * 1_000_000_000L / rate;
        if (!rollBack) {
            remaining -= events;
            eventsBegun += events;
        }
        return new Order(number, events, rollBack, due);
    }

    private void execute(Connection connection, Order order) throws SQLException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int from = 1 + random.nextInt(Bank.ACCOUNTS);
        int to = 1 + (from - 1 + random.nextInt(1, Bank.ACCOUNTS)) % Bank.ACCOUNTS;
        long amount = random.nextLong(1, 100);
        Bank.move(connection, from, to, amount);
        List<OutboxEvent> events = new ArrayList<>();
        events.add(event(SENT, from, order, amount));
        if (order.events() == 2) {
            boolean sameAccount = order.number() % (2 * TWO_EVENTS_EVERY) == 0;
            events.add(sameAccount ? event(CONFIRMED, from, order, amount) : event(RECEIVED, to, order, amount));
        }
        write(connection, order, events);
    }

    private static OutboxEvent event(String type, int account, Order order, long amount) {
        return OutboxEvent.builder(type)
                .aggregate("account", Integer.toString(account))
                .json("{\"transfer\": " + order.number() + ", \"account\": " + account + ", \"amount\": " + amount
                        + "}")
                .build();
    }

    private void write(Connection connection, Order order, List<OutboxEvent> events) throws SQLException {
        long tx = order.number();
        long insertBegan = System.nanoTime();
        for (int i = 0; i < events.size(); i++) {
            OutboxEvent event = events.get(i);
            proof.written(event.id(), event.messageKey(), insertBegan, tx, i);
        }
        outbox.write(connection, events);
        if (order.rollBack()) {
            connection.rollback();
            proof.rolledBack(tx);
        } else {
            connection.commit();
            proof.committed(tx, System.nanoTime());
            notifier.committed();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
