package dev.postrider.tests.campaign;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;

/** Does one configuration harm. Faults may overlap, except at one relay. */
final class Faults implements AutoCloseable {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
    private static final Duration ERROR_PATIENCE = Duration.ofSeconds(2);
    private static final int ERROR_ATTEMPTS = 4;
    private static final String QUOTA = "producer_byte_rate";

    /** Ends of the names of a relay's threads; the loop, which has none, more often. */
    private static final Map<Configuration, List<String>> THREADS = Map.of(
            Configuration.LOG, List.of("", "", "-read", "-lease", "-listen", "-housekeeping"),
            Configuration.EXACTLY_ONCE, List.of("", "-0", "-1", "-2", "-3", "-lease", "-listen", "-housekeeping"),
            Configuration.CLAIM, List.of("", "", "-settle", "-lease", "-listen", "-housekeeping"),
            Configuration.MARIADB, List.of("", "", "-settle", "-lease", "-housekeeping"),
            Configuration.THREE_BROKERS, List.of("", "", "-read", "-lease", "-listen", "-housekeeping"));

    private final CampaignBrokers brokers;
    private final CampaignServers.Place place;
    private final Relays relays;
    private final Writers writers;
    private final HostileRows hostileRows;
    private final Operators operators;
    private final Configuration configuration;
    private final Slowdown slowdown;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Servers are crashed one at a time; so is a wire disturbed, and operators do the same thing once at a time. */
    private final Map<FaultKind, Object> oneAtATime = Map.of(
            FaultKind.DATABASE_CRASH, new Object(),
            FaultKind.BROKER_KILL, new Object(),
            FaultKind.DATABASE_SILENCE, new Object(),
            FaultKind.BROKER_SILENCE, new Object(),
            FaultKind.QUOTA, new Object(),
            FaultKind.MISSING_TOPIC, new Object(),
            FaultKind.TRUNCATE, new Object(),
            FaultKind.ALTER, new Object());

    Faults(
            CampaignBrokers brokers,
            CampaignServers.Place place,
            Relays relays,
            Writers writers,
            HostileRows hostileRows,
            Operators operators,
            Configuration configuration,
            Slowdown slowdown) {
        this.brokers = brokers;
        this.place = place;
        this.relays = relays;
        this.writers = writers;
        this.hostileRows = hostileRows;
        this.operators = operators;
        this.configuration = configuration;
        this.slowdown = slowdown;
    }

    /**
     * Strikes at once.
     *
     * @param seed decides everything that is random about it
     * @return done when the fault has ended, with false if nothing came of it because of other faults; fails if the relay or a
     *     server does not survive what it must survive
     */
    CompletableFuture<Boolean> strike(FaultKind kind, long seed) {
        Random random = new Random(seed);
        return switch (kind) {
            case KILL -> atRelay(random, this::kill);
            case PAUSE -> atRelay(random, relay -> relay.pause(Duration.ofSeconds(5 + random.nextInt(3))));
            case STOP -> atRelay(random, this::stop);
            case SMALL_HEAP -> atRelay(random, relay -> starve(relay, random));
            case ERROR -> atRelay(random, relay -> letOneThreadMeetAnError(relay, random));
            case DATABASE_CRASH ->
                alone(kind, () -> {
                    place.crash().run();
                    return true;
                });
            case BROKER_KILL -> alone(kind, () -> brokers.kill(random));
            case DATABASE_SILENCE -> alone(FaultKind.DATABASE_SILENCE, () -> silence(place.wire(), random));
            case DATABASE_DELAY -> alone(FaultKind.DATABASE_SILENCE, () -> delay(place.wire(), random));
            case BROKER_SILENCE -> alone(FaultKind.BROKER_SILENCE, () -> silence(brokers.wire(), random));
            case BROKER_DELAY -> alone(FaultKind.BROKER_SILENCE, () -> delay(brokers.wire(), random));
            case QUOTA -> alone(kind, () -> throttle(random));
            case HOSTILE_ROWS ->
                begin(() -> {
                    hostileRows.insert(60);
                    return true;
                });
            case MISSING_TOPIC -> alone(kind, () -> operators.deleteAndMakeTopic(random));
            case TRUNCATE -> alone(kind, () -> operators.truncate(random));
            case ALTER -> alone(kind, () -> operators.alter(random));
            case MIGRATE -> begin(() -> operators.interruptMigrate(random));
            case REPLAY -> begin(() -> operators.replay(random));
            case DEAD_RETRY -> begin(operators::retryTheDead);
        };
    }

    private interface Harm {
        boolean doTo(RelayChild relay) throws Exception;
    }

    private CompletableFuture<Boolean> atRelay(Random random, Harm harm) {
        Relays.Berth berth = relays.any(random);
        return begin(() -> {
            berth.fault().lock();
            try {
                return harm.doTo(berth.relay());
            } finally {
                berth.fault().unlock();
            }
        });
    }

    private CompletableFuture<Boolean> alone(FaultKind kind, Callable<Boolean> harm) {
        return begin(() -> {
            synchronized (oneAtATime.get(kind)) {
                return harm.call();
            }
        });
    }

    private CompletableFuture<Boolean> begin(Callable<Boolean> harm) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return harm.call();
                    } catch (SQLException e) {
                        // The database is down for another reason.
                        return false;
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }

    private boolean kill(RelayChild relay) {
        relay.kill();
        relay.start();
        return true;
    }

    private boolean stop(RelayChild relay) throws Exception {
        Duration limit = slowdown.stretched(STOP_LIMIT);
        if (!relay.stop(limit)) {
            relay.dumpThreads();
            throw new AssertionError(relay.name() + " did not stop within " + limit.toSeconds() + " s");
        }
        relay.start();
        return true;
    }

    /** It keeps the small heap until it is started again for another reason. */
    private boolean starve(RelayChild relay, Random random) throws Exception {
        relay.kill();
        relay.startSmall();
        // Once it has its share of the keys.
        long deadline = System.nanoTime() + STOP_LIMIT.toNanos();
        while (!relay.isReady() && System.nanoTime() - deadline < 0) {
            Thread.sleep(50);
        }
        writers.writeLargeFollowers(random);
        hostileRows.insertHuge();
        hostileRows.insertHuge();
        return true;
    }

    /** A thread that is not there, or has nothing to do, is not waited for: another gets the error then. */
    private boolean letOneThreadMeetAnError(RelayChild relay, Random random) throws InterruptedException {
        int before = relay.errorsMet();
        for (int attempt = 0; attempt < ERROR_ATTEMPTS && relay.errorsMet() == before; attempt++) {
            String suffix = THREADS.get(configuration)
                    .get(random.nextInt(THREADS.get(configuration).size()));
            if (suffix.equals("-housekeeping")) {
                // It works when it begins, and then hardly ever.
                kill(relay);
            }
            relay.command(InjectedErrors.command(
                    "postrider-" + relay.name() + suffix,
                    random.nextBoolean() ? "memory" : "stack",
                    suffix.equals("-housekeeping") ? 0 : random.nextInt(20)));
            long deadline = System.nanoTime() + ERROR_PATIENCE.toNanos();
            while (relay.errorsMet() == before && System.nanoTime() - deadline < 0) {
                Thread.sleep(20);
            }
        }
        return relay.errorsMet() > before;
    }

    private static boolean silence(Wire wire, Random random) throws InterruptedException {
        int direction = random.nextInt(3);
        wire.silence(direction != 0, direction != 1);
        try {
            Thread.sleep(1_000 + random.nextInt(6_000));
        } finally {
            wire.heal(random.nextBoolean());
        }
        return true;
    }

    private static boolean delay(Wire wire, Random random) throws InterruptedException {
        wire.delay(5 + random.nextInt(200));
        try {
            Thread.sleep(2_000 + random.nextInt(3_000));
        } finally {
            wire.heal(false);
        }
        return true;
    }

    private boolean throttle(Random random) throws Exception {
        boolean set = setQuota(2_000.0 + random.nextInt(50_000));
        try {
            Thread.sleep(3_000 + random.nextInt(3_000));
        } finally {
            setQuota(null);
        }
        return set;
    }

    private boolean setQuota(@Nullable Double bytesPerSecond) throws InterruptedException {
        ClientQuotaEntity everybody = new ClientQuotaEntity(java.util.Collections.singletonMap("client-id", null));
        while (true) {
            try (Admin admin = brokers.admin()) {
                admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                                everybody, List.of(new ClientQuotaAlteration.Op(QUOTA, bytesPerSecond)))))
                        .all()
                        .get();
                return true;
            } catch (ExecutionException e) {
                // The broker may be down; the quota must not stay.
                if (bytesPerSecond != null) {
                    return false;
                }
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
