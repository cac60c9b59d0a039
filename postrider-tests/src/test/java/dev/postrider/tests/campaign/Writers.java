package dev.postrider.tests.campaign;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.tests.campaign.Ledger.Nature;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Write random transactions without end: several keys in one, rollbacks, some that stay open while others commit; events
 * that are large, scheduled, refused for a while, rejected for ever or answered late. When the database crashes they come
 * back, and find out what became of the commit that was under way.
 */
final class Writers implements AutoCloseable {
    static final String TYPE = "acme.campaign.happened.v1";

    /** Of events for a topic that comes and goes. */
    private static final String SIDE_TYPE = "acme.side.happened.v1";

    static final String SIDE_TOPIC = "side-events";

    private static final int WRITERS = 3;
    private static final int KEYS = 40;
    private static final int SIDE_KEYS = 5;
    private static final int MOST_IN_FLIGHT = 200;
    private static final int REJECTED_BYTES = CampaignBrokers.MAX_MESSAGE_BYTES + 100_000;
    private static final int FOLLOWERS = 150;
    private static final int FOLLOWER_BYTES = 300_000;

    private final Access access;
    private final Ledger ledger;
    private final boolean exactlyOnce;
    private final Outbox outbox = Outbox.builder().build();
    private final AtomicLong transactions = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /** Held for writing by whoever wants nobody to write. */
    private final ReentrantReadWriteLock writing = new ReentrantReadWriteLock(true);

    /** Held for writing by whoever wants nobody to write for {@link #SIDE_TOPIC}. */
    private final ReentrantReadWriteLock writingAside = new ReentrantReadWriteLock(true);

    Writers(Access access, Ledger ledger, Configuration configuration, long seed) {
        this.access = access;
        this.ledger = ledger;
        this.exactlyOnce = configuration.isExactlyOnce();
        for (int i = 0; i < WRITERS; i++) {
            Random random = new Random(seed * 31 + i);
            Thread thread = new Thread(() -> write(random), "campaign-writer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void write(Random random) {
        List<Doubt> doubts = new ArrayList<>();
        try {
            while (!stopped || !doubts.isEmpty()) {
                try (Connection connection = access.connect()) {
                    for (Doubt doubt : List.copyOf(doubts)) {
                        resolve(connection, doubt);
                        doubts.remove(doubt);
                    }
                    connection.setAutoCommit(false);
                    while (!stopped) {
                        Draft draft = new Draft(random);
                        Doubt doubt = transactUnlessHeld(connection, draft);
                        if (doubt != null) {
                            doubts.add(doubt);
                            break;
                        }
                        Thread.sleep(random.nextInt(30));
                        awaitRelays();
                    }
                } catch (SQLException e) {
                    // The database has crashed and will be back.
                    Thread.sleep(50);
                }
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            failure = e;
        }
    }

    /** What a relay can bear is measured elsewhere: here nothing may be late because too much is under way. */
    private void awaitRelays() throws InterruptedException {
        while (!stopped && ledger.inFlight() > MOST_IN_FLIGHT) {
            Thread.sleep(10);
        }
    }

    private @Nullable Doubt transactUnlessHeld(Connection connection, Draft draft)
            throws SQLException, InterruptedException {
        boolean aside = draft.natures.contains(Nature.ASIDE);
        writing.readLock().lock();
        try {
            if (!aside) {
                return transact(connection, draft);
            }
            if (!writingAside.readLock().tryLock()) {
                return null;
            }
            try {
                return transact(connection, draft);
            } finally {
                writingAside.readLock().unlock();
            }
        } finally {
            writing.readLock().unlock();
        }
    }

    /** While it is locked nobody writes; once it is, nobody has a transaction open. */
    Lock nobodyWrites() {
        return writing.writeLock();
    }

    /** The same for events of {@link #SIDE_TOPIC}. */
    Lock nobodyWritesAside() {
        return writingAside.writeLock();
    }

    /** A commit that ended with an error. */
    private record Doubt(long tx, UUID event) {}

    /** A transaction that is going to be written. */
    private final class Draft {
        final long tx = transactions.incrementAndGet();
        final List<OutboxEvent> events = new ArrayList<>();
        final List<Nature> natures = new ArrayList<>();
        final boolean rollBack;
        final int millisOpen;

        Draft(Random random) {
            rollBack = random.nextInt(12) == 0;
            millisOpen = random.nextInt(12) == 0 ? random.nextInt(1200) : 0;
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                Nature nature = nature(random);
                natures.add(nature);
                String key = nature == Nature.ASIDE ? anySideKey(random) : anyKey(random);
                events.add(event(key, nature, random));
            }
        }
    }

    static String anyKey(Random random) {
        return "key-" + random.nextInt(KEYS);
    }

    private static String anySideKey(Random random) {
        return "side-" + random.nextInt(SIDE_KEYS);
    }

    private static Nature nature(Random random) {
        int dice = random.nextInt(1000);
        if (dice < 15) {
            return Nature.LARGE;
        } else if (dice < 20) {
            return Nature.REJECTED;
        } else if (dice < 30) {
            return Nature.REFUSED;
        } else if (dice < 70) {
            return Nature.SLOW;
        } else if (dice < 100) {
            return Nature.ASIDE;
        }
        // Many: what is at the head of a shard and is not sent is what positions are easily wrong about.
        return dice < 320 ? Nature.SCHEDULED : Nature.PLAIN;
    }

    private OutboxEvent event(String key, Nature nature, Random random) {
        OutboxEvent.Builder event =
                OutboxEvent.builder(nature == Nature.ASIDE ? SIDE_TYPE : TYPE).aggregate("account", key);
        switch (nature) {
            case PLAIN, ASIDE -> event.json("{\"n\": " + random.nextInt() + "}");
            case LARGE -> event.json(text(50_000 + random.nextInt(250_000)));
            case REJECTED -> event.json(text(REJECTED_BYTES));
            case SCHEDULED -> event.json("{}").deliverAfter(Instant.now().plusMillis(random.nextInt(2_000)));
            case REFUSED ->
                event.json("{}")
                        .header(
                                MoodyDestination.REFUSED_UNTIL,
                                Long.toString(System.currentTimeMillis() + random.nextInt(2_500)))
                        .maxRetries(10_000);
            case SLOW ->
                // An answer must come within the time that a transaction of the broker has.
                event.json("{}")
                        .header(
                                MoodyDestination.ANSWERED_AFTER,
                                Integer.toString(random.nextInt(exactlyOnce ? 1_200 : 1_500)));
        }
        return event.build();
    }

    private static String text(int length) {
        return '"' + "x".repeat(length) + '"';
    }

    /**
     * @return null if its end is known
     */
    private @Nullable Doubt transact(Connection connection, Draft draft) throws SQLException, InterruptedException {
        try {
            for (int i = 0; i < draft.events.size(); i++) {
                OutboxEvent event = draft.events.get(i);
                ledger.written(event.id(), event.messageKey(), draft.natures.get(i), draft.tx, i);
                outbox.write(connection, event);
            }
            Thread.sleep(draft.millisOpen);
            if (draft.rollBack) {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException e) {
            ledger.rolledBack(draft.tx);
            throw new SQLException(e);
        }
        if (draft.rollBack) {
            ledger.rolledBack(draft.tx);
            return null;
        }
        try {
            connection.commit();
        } catch (SQLException e) {
            return new Doubt(draft.tx, draft.events.get(0).id());
        }
        ledger.committed(draft.tx);
        return null;
    }

    private void resolve(Connection connection, Doubt doubt) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("select count(*) from outbox where event_id = " + access.uuidParameter())) {
            query.setString(1, doubt.event().toString());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getInt(1) > 0) {
                    ledger.committed(doubt.tx());
                } else {
                    // Not rolled back for certain: InnoDB shows a commit to others before it is on disk.
                    ledger.inDoubt(doubt.tx());
                }
            }
        }
    }

    /** One transaction: an event that closes its key for a while, and a crowd of large ones behind it. */
    void writeLargeFollowers(Random random) throws SQLException {
        String key = anyKey(random);
        List<OutboxEvent> events = new ArrayList<>();
        List<Nature> natures = new ArrayList<>();
        events.add(event(key, Nature.REFUSED, random));
        natures.add(Nature.REFUSED);
        for (int i = 0; i < FOLLOWERS; i++) {
            events.add(OutboxEvent.builder(TYPE)
                    .aggregate("account", key)
                    .json(text(FOLLOWER_BYTES))
                    .build());
            natures.add(Nature.LARGE);
        }
        writing.readLock().lock();
        try {
            write(events, natures);
        } finally {
            writing.readLock().unlock();
        }
    }

    /** One transaction for {@link #SIDE_TOPIC}, by whoever holds {@link #nobodyWritesAside}. */
    void writeAside(Random random, int count) throws SQLException {
        List<OutboxEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(anySideKey(random), Nature.ASIDE, random));
        }
        write(events, Collections.nCopies(count, Nature.ASIDE));
    }

    private void write(List<OutboxEvent> events, List<Nature> natures) throws SQLException {
        long tx = transactions.incrementAndGet();
        try (Connection connection = access.connect()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < events.size(); i++) {
                OutboxEvent event = events.get(i);
                ledger.written(event.id(), event.messageKey(), natures.get(i), tx, i);
                outbox.write(connection, event);
            }
            connection.commit();
            ledger.committed(tx);
        } catch (SQLException | RuntimeException e) {
            ledger.inDoubt(tx);
            throw e;
        }
    }

    /** Fails if a writer has failed in another way than by a crash of its database. */
    void check() {
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        check();
    }

    @Override
    public void close() {
        stopped = true;
        threads.forEach(Thread::interrupt);
    }
}
