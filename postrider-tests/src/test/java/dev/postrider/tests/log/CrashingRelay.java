package dev.postrider.tests.log;

import dev.postrider.Delivery;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.lease.HeldShards;
import dev.postrider.internal.lease.InstanceLease;
import dev.postrider.internal.lease.ShardLeases;
import dev.postrider.internal.relay.LoopWorker;
import dev.postrider.internal.relay.RelayLoop;
import dev.postrider.internal.source.log.Attempts;
import dev.postrider.internal.source.log.LogSource;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.postgres.PostgresLogStore;
import dev.postrider.internal.store.postgres.PostgresStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.kafka.KafkaPublisher;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.TransactionalPublisher;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A relay of one shard that dies at a chosen step: from then on it reaches neither the database nor the destination, gives
 * nothing up and ends nothing, as a process that was killed. Refuses the event {@code "refused once"} the first time; the
 * event {@code "unanswered"} is sent, and from the second time on its answer never comes.
 */
final class CrashingRelay implements AutoCloseable {
    /** In the body of an event that is refused once: it does not become part of the transaction. */
    static final String BEFORE_IT_IS_SENT = "before it is sent";

    private final Step step;
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();
    private final CountDownLatch crashed = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final InstanceLease lease;
    private final LoopWorker worker;
    private final Publisher line;
    private final KafkaPublisher kafka;
    private final List<CompletableFuture<PublishResult>> unanswered = new CopyOnWriteArrayList<>();

    /** The transaction has an event in it that was refused. */
    private volatile boolean spoilt;

    /** Who takes a dead relay apart: what it calls is done. */
    private volatile @Nullable Thread undertaker;

    /**
     * Where it dies.
     *
     * @param method of the store, the publisher or the shards; {@link #LOOK_AT_SHARDS_IN_FLIGHT}
     * @param call the how manyth
     * @param moment before it is done, after it, or instead of it without dying: nobody knows then whether it was done
     */
    record Step(String method, int call, Moment moment) {
        /** With which repairs begin, and nothing else once the event {@code "unanswered"} is in flight. */
        static final String LOOK_AT_SHARDS_IN_FLIGHT = "look at shards in flight";

        enum Moment {
            BEFORE,
            AFTER,
            UNKNOWN_DONE,
            UNKNOWN_NOT_DONE
        }

        @Override
        public String toString() {
            return moment.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ') + " " + method + " " + call;
        }
    }

    /** Not an exception that anything recovers from. */
    private static final class Death extends Error {
        private static final long serialVersionUID = 1L;
    }

    CrashingRelay(DataSource dataSource, OutboxLayout layout, String outboxId, KafkaPublisher kafka, Step step)
            throws SQLException {
        this.step = step;
        this.kafka = kafka;
        RelaySettings settings = settings("mortal");
        OutboxStore store = mortal(OutboxStore.class, new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()));
        LogStore log = mortal(
                LogStore.class, new PostgresLogStore(OutboxTable.DEFAULT, layout.shards(), ContentHash.sha256()));
        ShardLeases shards = new ShardLeases("mortal", log, () -> {});
        this.lease = new InstanceLease(
                "mortal",
                store,
                new RelaySession(dataSource, store),
                settings.timeouts().lease(),
                new InstanceLease.Holdings(() -> "closed", shards, () -> {}));
        RelayListener listener = new RelayListener() {};
        LogSource.Parts parts = new LogSource.Parts(
                log,
                new RelaySession(dataSource, store),
                mortal(HeldShards.class, shards),
                lease::owner,
                settings,
                new DeadLetters("mortal", store, settings.deadLetters(), listener),
                new Attempts(),
                listener,
                false);
        LogSource source;
        if (layout.delivery() == Delivery.EXACTLY_ONCE) {
            Duration timeout = Duration.ofSeconds(10);
            TransactionalPublisher transactional =
                    mortal(TransactionalPublisher.class, kafka.pipeline(outboxId, 0, layout.shards(), timeout));
            line = transactional;
            source = LogSource.exactlyOnce(parts, transactional, timeout);
        } else {
            line = mortal(Publisher.class, kafka);
            source = LogSource.atLeastOnce(parts);
        }
        Circuit circuit = new Circuit("mortal", settings.circuit(), state -> {});
        RelayLoop loop = new RelayLoop(settings, source, line, lease, circuit, listener);
        this.worker = new LoopWorker("mortal", loop, source, new LoopWorker.Line(line::halt, line::close, error -> {}));
        lease.start();
        worker.start();
    }

    static RelaySettings settings(String name) {
        return RelaySettings.builder()
                .name(name)
                .pollInterval(Duration.ofMillis(50))
                .leaseLength(Duration.ofSeconds(1))
                .retry(new dev.postrider.failure.Backoff(Duration.ofMillis(100), 1, Duration.ofMillis(100), 0, 5))
                .build();
    }

    /** Whether it died before the time was over. */
    boolean awaitCrash(Duration limit) throws InterruptedException {
        return crashed.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private <T> T mortal(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> call(real, method, args)));
    }

    private Object call(Object real, Method method, Object[] args) throws Throwable {
        liveOrDie();
        if (method.getName().equals("publish") && isFirstRefusal((OutboxEvent) args[0])) {
            spoilt = !((OutboxEvent) args[0]).payload().text().contains(BEFORE_IT_IS_SENT);
            return CompletableFuture.completedFuture(new PublishResult.Rejected("refused once", false));
        }
        if (method.getName().equals("isIntact") && spoilt) {
            return false;
        }
        spoilt &= !method.getName().equals("abort");
        String name = method.getName().equals("leaving") && calls.getOrDefault("unanswered", 0) > 1
                ? Step.LOOK_AT_SHARDS_IN_FLIGHT
                : method.getName();
        boolean here = name.equals(step.method()) && calls.merge(name, 1, Integer::sum) == step.call();
        if (here && step.moment() == Step.Moment.BEFORE) {
            die();
        }
        if (here && step.moment() == Step.Moment.UNKNOWN_NOT_DONE) {
            crashed.countDown();
            throw new OutcomeUnknownException("so the test says", new IllegalStateException());
        }
        Object result;
        try {
            result = method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (here && step.moment() == Step.Moment.UNKNOWN_DONE) {
            crashed.countDown();
            throw new OutcomeUnknownException("so the test says", new IllegalStateException());
        }
        if (here) {
            die();
        }
        if (method.getName().equals("publish") && isUnanswered((OutboxEvent) args[0])) {
            CompletableFuture<PublishResult> never = new CompletableFuture<>();
            unanswered.add(never);
            return never;
        }
        return result;
    }

    private boolean isUnanswered(OutboxEvent event) {
        return event.payload().text().contains("unanswered") && calls.merge("unanswered", 1, Integer::sum) > 1;
    }

    private boolean isFirstRefusal(OutboxEvent event) {
        return event.payload().text().contains("refused once") && calls.merge("refusal", 1, Integer::sum) == 1;
    }

    private boolean isDead() {
        return crashed.getCount() == 0 && (step.moment() == Step.Moment.BEFORE || step.moment() == Step.Moment.AFTER);
    }

    private void die() throws InterruptedException {
        crashed.countDown();
        liveOrDie();
    }

    /** The dead wait for the end of the test, whatever they were about to do. */
    private void liveOrDie() throws InterruptedException {
        if (isDead() && Thread.currentThread() != undertaker) {
            end.await();
            throw new Death();
        }
    }

    @Override
    public void close() {
        boolean dead = isDead();
        undertaker = Thread.currentThread();
        end.countDown();
        unanswered.forEach(answer -> answer.complete(new PublishResult.Unresolved()));
        if (dead) {
            worker.abandon();
            lease.abandon();
        } else {
            worker.stop();
            lease.close();
        }
        kafka.close();
    }
}
