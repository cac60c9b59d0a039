package dev.postrider.cli.demo;

import dev.postrider.CommitNotifier;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

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
    private static final String ANNOUNCED = "postrider.transfer.announced.v1";
    private static final int ROLLBACK_EVERY = 50;
    private static final int TWO_EVENTS_EVERY = 5;

    /** Transactions that write a backlog are large, so that it is there soon. */
    private static final int BACKLOG_EVENTS = 200;

    /** Of an announcement, so that it is as large as an event of the benchmark. */
    private static final String TERMS = "Subject to the bank's terms. ".repeat(33);

    private final DataSource dataSource;
    private final CommitNotifier notifier;
    private final DeliveryProof proof;
    private final Outbox outbox = Outbox.builder().source("postrider-demo").build();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final AtomicLong transactions = new AtomicLong();
    private volatile boolean ended;

    Transfers(DataSource dataSource, CommitNotifier notifier, DeliveryProof proof) {
        this.dataSource = dataSource;
        this.notifier = notifier;
        this.proof = proof;
    }

    /**
     * Moves money from now on, until {@link #end}.
     *
     * @param perSecond events; 0 means as fast as possible
     * @return one task for each thread
     */
    List<Future<?>> begin(int perSecond) {
        ended = false;
        Pace pace = new Pace(perSecond);
        return onAllThreads(() -> {
            try (Connection connection = connection()) {
                while (!isOver()) {
                    transfer(connection, pace);
                }
            }
            return null;
        });
    }

    /** Writers stop after the transaction that they are in. */
    void end() {
        ended = true;
    }

    /**
     * Announces transfers, so many events, in large transactions and as fast as possible.
     *
     * @return one task for each thread
     */
    List<Future<?>> announce(int events) {
        ended = false;
        AtomicInteger remaining = new AtomicInteger(events);
        return onAllThreads(() -> {
            try (Connection connection = connection()) {
                while (!isOver()) {
                    int before = remaining.getAndAdd(-BACKLOG_EVENTS);
                    if (before <= 0) {
                        break;
                    }
                    announce(connection, Math.min(before, BACKLOG_EVENTS));
                }
            }
            return null;
        });
    }

    private boolean isOver() {
        return ended || Thread.currentThread().isInterrupted();
    }

    private List<Future<?>> onAllThreads(Callable<?> task) {
        List<Future<?>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            tasks.add(threads.submit(task));
        }
        return tasks;
    }

    private Connection connection() throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    /** When the next event is due. Whoever is late catches up. */
    private static final class Pace {
        private final int perSecond;
        private final long begin = System.nanoTime();
        private long events;

        Pace(int perSecond) {
            this.perSecond = perSecond;
        }

        synchronized long next(int count) {
            long due = perSecond == 0 ? begin : begin + events * 1_000_000_000L / perSecond;
            events += count;
            return due;
        }
    }

    private void transfer(Connection connection, Pace pace) throws SQLException {
        long number = transactions.getAndIncrement();
        int count = number % TWO_EVENTS_EVERY == 0 ? 2 : 1;
        boolean rollBack = number % ROLLBACK_EVERY == ROLLBACK_EVERY - 1;
        LockSupport.parkNanos(pace.next(rollBack ? 0 : count) - System.nanoTime());
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int from = account(random);
        int to = 1 + (from - 1 + random.nextInt(1, Bank.ACCOUNTS)) % Bank.ACCOUNTS;
        long amount = random.nextLong(1, 100);
        Bank.move(connection, from, to, amount);
        List<OutboxEvent> events = new ArrayList<>();
        events.add(event(SENT, from, number, amount, ""));
        if (count == 2) {
            boolean sameAccount = number % (2 * TWO_EVENTS_EVERY) == 0;
            events.add(
                    sameAccount ? event(CONFIRMED, from, number, amount, "") : event(RECEIVED, to, number, amount, ""));
        }
        write(connection, number, events, rollBack);
        if (!rollBack) {
            notifier.committed();
        }
    }

    /** Tells no relay: all wait. */
    private void announce(Connection connection, int count) throws SQLException {
        long number = transactions.getAndIncrement();
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<OutboxEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(ANNOUNCED, account(random), number, random.nextLong(1, 100), TERMS));
        }
        write(connection, number, events, false);
    }

    private static int account(ThreadLocalRandom random) {
        return 1 + random.nextInt(Bank.ACCOUNTS);
    }

    private static OutboxEvent event(String type, int account, long transfer, long amount, String terms) {
        return OutboxEvent.builder(type)
                .aggregate("account", Integer.toString(account))
                .json("{\"transfer\": " + transfer + ", \"account\": " + account + ", \"amount\": " + amount
                        + (terms.isEmpty() ? "" : ", \"terms\": \"" + terms + "\"") + "}")
                .build();
    }

    private void write(Connection connection, long tx, List<OutboxEvent> events, boolean rollBack) throws SQLException {
        long insertBegan = System.nanoTime();
        for (int i = 0; i < events.size(); i++) {
            OutboxEvent event = events.get(i);
            proof.written(event.id(), event.messageKey(), insertBegan, tx, i);
        }
        outbox.write(connection, events);
        if (rollBack) {
            connection.rollback();
            proof.rolledBack(tx);
        } else {
            connection.commit();
            proof.committed(tx, System.nanoTime());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
