package dev.postrider.tests.campaign;

import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Delivery;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.admin.ReplayRequest;
import dev.postrider.admin.ReplayScope;
import dev.postrider.cli.command.Database;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.TopicRouting;
import dev.postrider.tests.alter.FailingConnections;
import dev.postrider.tests.campaign.Excuses.Excuse;
import dev.postrider.tests.campaign.Ledger.Nature;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.common.TopicPartition;

/**
 * What operators do while relays run and everything else breaks. Some of it is safe only when everything has been delivered:
 * writers are held back for it, and it is left out if that does not happen in time because other faults are at work. Each
 * says whether it was done.
 */
final class Operators {
    static final String REPLAY_TOPIC = "replayed-events";

    private static final String ACTOR = "campaign";
    private static final Duration QUIET = Duration.ofSeconds(20);
    private static final Duration LONGEST = Duration.ofSeconds(90);
    private static final int LOCK_SECONDS = 5;
    private static final int MOST_SHARDS = 6;

    /** Somebody holds a lock. */
    private static final Set<String> LOCK_TIMEOUTS = Set.of("55P03", "40P01");

    private static final int MARIADB_LOCK_TIMEOUT = 1205;

    private final Access access;
    private final CampaignBrokers brokers;
    private final CampaignConsumer consumer;
    private final Relays relays;
    private final Writers writers;
    private final Ledger ledger;
    private final Excuses excuses;
    private final Slowdown slowdown;
    private final String prefix;

    /** In claim mode a dead letter that is to be sent again is in the table that is truncated. */
    private final Lock nobodyRetries = new ReentrantLock();

    Operators(
            Access access,
            CampaignBrokers brokers,
            CampaignConsumer consumer,
            Relays relays,
            Writers writers,
            Ledger ledger,
            Excuses excuses,
            Slowdown slowdown) {
        this.access = access;
        this.brokers = brokers;
        this.consumer = consumer;
        this.relays = relays;
        this.writers = writers;
        this.ledger = ledger;
        this.excuses = excuses;
        this.slowdown = slowdown;
        this.prefix = access.configuration().topicPrefix();
    }

    // ---- topics

    /** Nothing may be left in the topic that nobody has read. */
    boolean deleteAndMakeTopic(Random random) throws Exception {
        Lock nobody = writers.nobodyWritesAside();
        nobody.lock();
        try {
            if (!comesTrue(() -> ledger.isAllDelivered(Nature.ASIDE))) {
                return false;
            }
            String topic = prefix + Writers.SIDE_TOPIC;
            Collection<TopicPartition> partitions = IntStream.range(0, CampaignBrokers.PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList();
            consumer.forget(partitions);
            untilTheBrokerAnswers(() -> brokers.deleteTopic(topic));
            writeAside(random);
            Thread.sleep(1_000 + random.nextInt(5_000));
            untilTheBrokerAnswers(() -> brokers.createTopics(prefix, Writers.SIDE_TOPIC));
            consumer.follow(partitions);
        } finally {
            nobody.unlock();
        }
        return true;
    }

    /** If the database is down, nothing waits for the topic. */
    private void writeAside(Random random) throws Exception {
        excuses.attempt(
                "writing for a missing topic",
                () -> {
                    writers.writeAside(random, 30 + random.nextInt(300));
                    return true;
                },
                Excuse.DATABASE_DOWN);
    }

    private interface Request {
        void send() throws ExecutionException, InterruptedException;
    }

    /** It may be down for another reason. What was done although the answer got lost is not done twice. */
    private void untilTheBrokerAnswers(Request request) throws InterruptedException {
        Slowdown.Deadline deadline = slowdown.in(LONGEST);
        while (true) {
            try {
                request.send();
                return;
            } catch (ExecutionException e) {
                String error = e.getCause().getClass().getSimpleName();
                if (error.equals("TopicExistsException") || error.equals("UnknownTopicOrPartitionException")) {
                    return;
                }
                if (deadline.isOver()) {
                    throw new AssertionError("The broker does not answer.", e);
                }
            }
        }
    }

    // ---- the table

    /** Where ids begin anew, what relays remember of them is wrong. */
    boolean truncate(Random random) throws Exception {
        Lock nobody = writers.nobodyWrites();
        nobody.lock();
        try {
            boolean fromOne = random.nextBoolean();
            nobodyRetries.lock();
            try {
                return comesTrue(this::isEverythingDone) && truncateTable(fromOne);
            } finally {
                nobodyRetries.unlock();
            }
        } finally {
            nobody.unlock();
        }
    }

    private boolean isEverythingDone() {
        try {
            return ledger.proof().missing() == 0 && access.deadLetters().containsAll(ledger.rejected());
        } catch (SQLException | IOException e) {
            return false;
        }
    }

    private boolean truncateTable(boolean fromOne) throws SQLException {
        try (Connection connection = access.connect();
                Statement statement = connection.createStatement()) {
            if (access.configuration().isMariaDb()) {
                statement.execute("set lock_wait_timeout = " + LOCK_SECONDS);
                statement.execute(fromOne ? "truncate table outbox" : "delete from outbox");
            } else {
                statement.execute("set lock_timeout = '" + LOCK_SECONDS + "s'");
                statement.execute("truncate outbox " + (fromOne ? "restart" : "continue") + " identity");
            }
            return true;
        } catch (SQLException e) {
            if (LOCK_TIMEOUTS.contains(String.valueOf(e.getSQLState())) || e.getErrorCode() == MARIADB_LOCK_TIMEOUT) {
                return false;
            }
            throw e;
        }
    }

    // ---- the layout

    /** Nothing else is done to relays meanwhile. */
    boolean alter(Random random) throws Exception {
        Deque<Relays.Berth> held = new ArrayDeque<>();
        try {
            for (Relays.Berth berth : relays.berths()) {
                berth.fault().lock();
                held.push(berth);
            }
            for (RelayChild relay : relays.all()) {
                Duration limit = slowdown.stretched(LONGEST);
                if (!relay.stop(limit)) {
                    relay.dumpThreads();
                    throw new AssertionError(relay.name() + " did not stop within " + limit.toSeconds() + " s");
                }
            }
            for (LayoutRequest request : requests(random)) {
                alterUntilDone(request);
            }
            relays.all().forEach(RelayChild::start);
        } finally {
            held.forEach(berth -> berth.fault().unlock());
        }
        return true;
    }

    private List<LayoutRequest> requests(Random random) {
        LayoutRequest shards = new LayoutRequest(null, 1 + random.nextInt(MOST_SHARDS), null);
        LayoutRequest claim = new LayoutRequest(OutboxMode.CLAIM, null, Delivery.AT_LEAST_ONCE);
        Delivery delivery = access.configuration().layout().delivery();
        LayoutRequest log = new LayoutRequest(OutboxMode.LOG, 1 + random.nextInt(MOST_SHARDS), delivery);
        if (!access.configuration().isLog()) {
            return List.of(log, claim);
        }
        return random.nextBoolean() ? List.of(shards) : List.of(claim, log);
    }

    /**
     * A relay that was killed a moment ago counts as alive until its lease expires, and the database may be down. That the
     * database refuses something is no reason.
     */
    private void alterUntilDone(LayoutRequest request) throws InterruptedException {
        Slowdown.Deadline deadline = slowdown.in(LONGEST);
        while (true) {
            Excuses.Since begin = excuses.since();
            try (HikariDataSource pool = pool()) {
                LayoutChange.builder(pool)
                        .destination(() -> KafkaPublisher.builder(brokers.bootstrapServers())
                                .build())
                        .build()
                        .alter(request, ACTOR);
                return;
            } catch (RuntimeException e) {
                boolean refused = e instanceof PostriderException && !isOfTheDatabase(e);
                if (deadline.isOver() || !refused && !begin.hasAny(Set.of(Excuse.DATABASE_DOWN))) {
                    throw new AssertionError("The layout could not be changed: " + request, e);
                }
                Thread.sleep(200);
            }
        }
    }

    private static boolean isOfTheDatabase(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                return true;
            }
        }
        return false;
    }

    /** Refused once there is, or is about to be, another layout. */
    boolean interruptMigrate(Random random) {
        try (HikariDataSource pool = pool()) {
            interruptMigrate(pool, access.configuration(), random.nextInt(20));
        } catch (PostriderException e) {
            if (isOfTheDatabase(e) || !excuses.wasEver(Excuse.LAYOUT_CHANGES)) {
                throw e;
            }
        }
        return true;
    }

    /**
     * @param statements after so many the database is gone
     * @throws RuntimeException if it fails for another reason
     */
    static void interruptMigrate(DataSource dataSource, Configuration configuration, int statements) {
        FailingConnections failing = new FailingConnections(dataSource, statements);
        try {
            OutboxSchema.migrate(failing.dataSource(), OutboxTable.DEFAULT, configuration.layout());
        } catch (RuntimeException e) {
            if (!failing.hasFailed()) {
                throw e;
            }
        }
    }

    // ---- events

    boolean replay(Random random) {
        ReplayScope aggregate = new ReplayScope.OfAggregate("account", Writers.anyKey(random));
        try (HikariDataSource pool = pool();
                KafkaPublisher publisher = KafkaPublisher.builder(brokers.bootstrapServers())
                        .routing(TopicRouting.byConvention().prefix(prefix))
                        .build()) {
            OutboxAdmin.builder(pool)
                    .build()
                    .replay(new ReplayRequest(aggregate, prefix + REPLAY_TOPIC, 0), publisher, () -> false, ACTOR);
            return true;
        }
    }

    boolean retryTheDead() {
        nobodyRetries.lock();
        try (HikariDataSource pool = pool()) {
            OutboxAdmin.builder(pool).build().retry(DeadLetterSelection.all(), ACTOR);
            return true;
        } finally {
            nobodyRetries.unlock();
        }
    }

    private HikariDataSource pool() {
        return new Database(access.url(), access.user(), access.password()).pool("campaign-operator", 3);
    }

    private boolean comesTrue(BooleanSupplier condition) throws InterruptedException {
        Slowdown.Deadline deadline = slowdown.in(QUIET);
        while (!condition.getAsBoolean()) {
            if (deadline.isOver()) {
                return false;
            }
            Thread.sleep(50);
        }
        return true;
    }
}
