package dev.postrider.tests.campaign;

import dev.postrider.tests.campaign.Excuses.Excuse;
import java.time.Duration;
import java.util.Arrays;
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
    private final Excuses excuses;
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
            Excuses excuses,
            Slowdown slowdown) {
        this.brokers = brokers;
        this.place = place;
        this.relays = relays;
        this.writers = writers;
        this.hostileRows = hostileRows;
        this.operators = operators;
        this.configuration = configuration;
        this.excuses = excuses;
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
            case KILL -> atRelay(kind, random, this::kill);
            case PAUSE -> atRelay(kind, random, relay -> relay.pause(Duration.ofSeconds(5 + random.nextInt(3))));
            case STOP -> atRelay(kind, random, this::stop);
            case SMALL_HEAP -> atRelay(kind, random, relay -> starve(relay, random));
            case ERROR -> atRelay(kind, random, relay -> letOneThreadMeetAnError(relay, random));
            case DATABASE_CRASH -> alone(kind, kind, () -> excuses.give(Excuse.DATABASE_DOWN, this::crashDatabase));
            case BROKER_KILL -> alone(kind, kind, () -> excuses.give(Excuse.BROKER_DOWN, () -> brokers.kill(random)));
            case DATABASE_SILENCE -> alone(kind, FaultKind.DATABASE_SILENCE, () -> silence(place.wire(), random));
            case DATABASE_DELAY -> alone(kind, FaultKind.DATABASE_SILENCE, () -> delay(place.wire(), random));
            case BROKER_SILENCE -> alone(kind, FaultKind.BROKER_SILENCE, () -> silence(brokers.wire(), random));
            case BROKER_DELAY -> alone(kind, FaultKind.BROKER_SILENCE, () -> delay(brokers.wire(), random));
            case QUOTA -> alone(kind, kind, () -> throttle(random));
            case HOSTILE_ROWS ->
                begin(kind, () -> {
                    hostileRows.insert(60);
                    return true;
                });
            case MISSING_TOPIC -> alone(kind, kind, () -> operators.deleteAndMakeTopic(random));
            case TRUNCATE -> alone(kind, kind, () -> operators.truncate(random));
            case ALTER -> alone(kind, kind, () -> excuses.give(Excuse.LAYOUT_CHANGES, () -> operators.alter(random)));
            case MIGRATE -> begin(kind, () -> operators.interruptMigrate(random));
            case REPLAY -> begin(kind, () -> operators.replay(random), Excuse.BROKER_DOWN, Excuse.LAYOUT_CHANGES);
            case DEAD_RETRY -> begin(kind, operators::retryTheDead, Excuse.LAYOUT_CHANGES);
        };
    }

    private boolean crashDatabase() {
        place.crash().run();
        return true;
    }

    private interface Harm {
        boolean doTo(RelayChild relay) throws Exception;
    }

    private CompletableFuture<Boolean> atRelay(FaultKind kind, Random random, Harm harm) {
        Relays.Berth berth = relays.any(random);
        return begin(kind, () -> {
            berth.fault().lock();
            try {
                return harm.doTo(berth.relay());
            } finally {
                berth.fault().unlock();
            }
        });
    }

    private CompletableFuture<Boolean> alone(FaultKind kind, FaultKind like, Callable<Boolean> harm) {
        return begin(kind, () -> {
            synchronized (oneAtATime.get(like)) {
                return harm.call();
            }
        });
    }

    /**
     * A crash of the database is in everybody's way.
     *
     * @param others what else may be
     */
    private CompletableFuture<Boolean> begin(FaultKind kind, Callable<Boolean> harm, Excuse... others) {
        Excuse[] accepted = Arrays.copyOf(others, others.length + 1);
        accepted[others.length] = Excuse.DATABASE_DOWN;
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return excuses.attempt(kind.label(), harm, accepted);
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
