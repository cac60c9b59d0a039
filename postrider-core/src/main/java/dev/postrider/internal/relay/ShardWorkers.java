package dev.postrider.internal.relay;

import dev.postrider.BatchReport;
import dev.postrider.failure.CircuitSettings;
import dev.postrider.internal.failure.Circuit;
import dev.postrider.internal.lease.HeldShards;
import dev.postrider.internal.lease.InstanceLease;
import dev.postrider.internal.lease.Ownership;
import dev.postrider.internal.lifecycle.Progress;
import dev.postrider.internal.lifecycle.Restarts;
import dev.postrider.internal.lifecycle.Service;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker for each shard that the relay holds, so that the transaction of one shard does not wait for that of
 * another. A thread of its own hires a worker for a shard that has come, and sees off those whose shards have gone. When
 * the relay's lease has lapsed all of them end; then the relay goes on under a new name.
 *
 * <p>A circuit that is not closed when its worker goes stays the relay's, and is handed to the next worker: a relay that gave up its
 * shards because it could deliver nothing has not become able to by having none. It tries with one shard, as {@code FairShare}
 * has it, and that worker's circuit closes by events that are accepted, not by being new.
 */
public final class ShardWorkers implements Worker {
    private static final Logger log = LoggerFactory.getLogger(ShardWorkers.class);
    private static final long LOOK_INTERVAL = Duration.ofMillis(500).toNanos();
    private static final Duration MOMENT = Duration.ofSeconds(2);

    private final String name;
    private final InstanceLease lease;
    private final HeldShards shards;
    private final CircuitSettings circuitSettings;
    private final Consumer<String> onCircuit;
    private final WorkerFactory factory;
    private final Service service;
    private final Progress progress = new Progress();
    private final Map<Integer, LoopWorker> workers = new ConcurrentHashMap<>();

    /** Workers that stand still, or have. */
    private final Set<LoopWorker> blocked = ConcurrentHashMap.newKeySet();

    /** Shards whose last worker broke. */
    private final Map<Integer, Restarts> resting = new ConcurrentHashMap<>();

    /** Of shards whose workers ended because of an exception. They stay with this relay: another one may fare no better. */
    private final Map<Integer, Setbacks> setbacks = new ConcurrentHashMap<>();

    /** Of a worker that is gone, and not closed. Changed by this object's thread; any may look. */
    private volatile @Nullable Circuit unproven;

    private long unprovenSince;

    /**
     * @param onCircuit told what {@link #circuit} is, whenever it may have changed
     */
    public ShardWorkers(
            String name,
            InstanceLease lease,
            HeldShards shards,
            CircuitSettings circuitSettings,
            Consumer<String> onCircuit,
            WorkerFactory factory) {
        this.circuitSettings = circuitSettings;
        this.onCircuit = onCircuit;
        this.name = name;
        this.lease = lease;
        this.shards = shards;
        this.factory = factory;
        this.service = Service.named("postrider-" + name)
                .keepsProcessAlive()
                .onFailure(Service.tellOnce(log, "[" + name + "] the shards are not looked after", MOMENT))
                .doing(this::lead);
    }

    /** Makes a worker for a shard. */
    @FunctionalInterface
    public interface WorkerFactory {
        LoopWorker newWorker(int shard, Ownership ownership, Circuit circuit);
    }

    /** The relay's, as long as one shard is read under it. */
    private final class ShardOwnership implements Ownership {
        private final int shard;

        ShardOwnership(int shard) {
            this.shard = shard;
        }

        @Override
        public String owner() {
            return lease.owner();
        }

        @Override
        public boolean holds() {
            return lease.holds();
        }

        @Override
        public boolean isPaused() {
            return lease.isPaused();
        }

        /** The name is every worker's: it changes when all of them have ended. */
        @Override
        public void replace() {
            if (lease.holds()) {
                Duration delay = setbacksOf(shard).failed();
                log.debug("[{}] shard {} is taken up again after {} s", name, shard, delay.toSeconds());
            }
            LoopWorker worker = workers.get(shard);
            if (worker != null) {
                worker.askToStop();
            }
        }

        @Override
        public boolean isNews(String problem) {
            return setbacksOf(shard).isNews(problem);
        }
    }

    private Setbacks setbacksOf(int shard) {
        return setbacks.computeIfAbsent(shard, any -> new Setbacks());
    }

    @Override
    public void start() {
        progress.step();
        service.start();
    }

    private long lead() throws SQLException {
        progress.step();
        adjust();
        return LOOK_INTERVAL;
    }

    private void adjust() throws SQLException {
        Set<Integer> held = shards.held().keySet();
        workers.forEach((shard, worker) -> {
            if (worker.hasEnded()) {
                end(shard, worker);
            } else if (!held.contains(shard)) {
                worker.askToStop();
            }
        });
        proveOrTry();
        // Also without a change of any circuit: one may have been let go of.
        tellCircuit();
        if (lease.holds()) {
            hireMissing(held);
        } else if (workers.isEmpty()) {
            lease.replace();
            log.info("[{}] goes on as {}", name, lease.owner());
        }
    }

    /** As a loop does that has nothing to send: an open circuit becomes half-open when its time has come. */
    private void proveOrTry() {
        Circuit circuit = unproven;
        if (circuit == null) {
            return;
        }
        long since = unprovenSince;
        if (workers.values().stream().anyMatch(worker -> worker.hasAcceptedSince(since))) {
            unproven = null;
        } else {
            circuit.giveBack(circuit.permits(1));
        }
    }

    private void end(Integer shard, LoopWorker worker) {
        Circuit circuit = worker.circuitInUse();
        if (circuit.state() != Circuit.State.CLOSED && unproven == null) {
            circuit.forgetTrials();
            // Before the worker is gone: somebody may ask at any moment.
            unprovenSince = System.nanoTime();
            unproven = circuit;
        }
        Error failure = worker.failure();
        if (failure == null) {
            worker.stop();
        } else {
            // Before the worker is gone: nobody may think that the shard could be read now.
            Duration delay =
                    resting.computeIfAbsent(shard, any -> new Restarts()).failed();
            log.error(
                    "[{}] shard {} broke off; it other relays may take it, and this one will after {} s at the earliest",
                    name,
                    shard,
                    delay.toSeconds(),
                    failure);
            worker.abandon();
        }
        workers.remove(shard);
        blocked.remove(worker);
        progress.step();
    }

    /** Whether a shard can be read at the moment: nobody stands still at it, and the last one did not just break. Any thread. */
    public boolean canRead(int shard, Duration limit) {
        Restarts restarts = resting.get(shard);
        LoopWorker worker = workers.get(shard);
        if (worker != null && !worker.isTurning(limit)) {
            if (blocked.add(worker)) {
                worker.unblock();
            }
            return false;
        }
        return restarts == null || restarts.isOver();
    }

    private void hireMissing(Set<Integer> held) {
        Set<Integer> leaving = shards.leaving();
        for (Integer shard : held) {
            // Also for one that is to be handed over at once: that is a worker's task.
            Restarts restarts = resting.get(shard);
            Setbacks before = setbacks.get(shard);
            if (!workers.containsKey(shard)
                    && (restarts == null || restarts.isOver())
                    && (before == null || before.isOver() || leaving.contains(shard))) {
                newWorker(shard).start();
                if (restarts != null) {
                    restarts.started();
                }
                if (before != null) {
                    before.started();
                }
            }
        }
    }

    private LoopWorker newWorker(int shard) {
        Circuit circuit = unproven;
        LoopWorker worker =
                factory.newWorker(shard, new ShardOwnership(shard), circuit == null ? newCircuit() : circuit);
        // In this order: until the worker is there, what is known of the circuit is known from here.
        workers.put(shard, worker);
        unproven = null;
        return worker;
    }

    private Circuit newCircuit() {
        return new Circuit(name, circuitSettings, changed -> tellCircuit());
    }

    /** One after the other, so that what is told last is how it is. */
    private void tellCircuit() {
        synchronized (onCircuit) {
            onCircuit.accept(circuit());
        }
    }

    @Override
    public void nudge() {
        service.wake();
        workers.values().forEach(LoopWorker::nudge);
    }

    @Override
    public BatchReport runOnce() throws SQLException, InterruptedException {
        RelayLoop.Tally tally = new RelayLoop.Tally();
        for (Integer shard : shards.held().keySet()) {
            LoopWorker worker = workers.get(shard);
            tally.add((worker == null ? newWorker(shard) : worker).runOnce());
        }
        return tally.report();
    }

    @Override
    public void halt() {
        workers.values().forEach(LoopWorker::halt);
    }

    /** Of the worker whose destination is worst, also if it is gone. */
    @Override
    public String circuit() {
        // In this order: it passes from a worker to here, and from here to a worker that is there already.
        Circuit left = unproven;
        List<String> states = new ArrayList<>(
                workers.values().stream().map(LoopWorker::circuit).toList());
        left = left == null ? unproven : left;
        if (left != null) {
            states.add(left.state().label());
        }
        return states.contains("open") ? "open" : states.contains("half-open") ? "half-open" : "closed";
    }

    /** Of the worker that has waited longest. */
    @Override
    public @Nullable Duration noAnswerFor() {
        return workers.values().stream()
                .map(LoopWorker::noAnswerFor)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Of its own thread alone: a worker that stands still costs its shard's lease, not the relay's. */
    @Override
    public boolean isTurning(Duration limit) {
        return !service.isAlive() || !progress.hasStoppedFor(limit);
    }

    /** Of the worker that is slowest. */
    @Override
    public Duration sinceLastStep() {
        return workers.values().stream()
                .map(LoopWorker::sinceLastStep)
                .max(Comparator.naturalOrder())
                .orElse(progress.sinceStep());
    }

    @Override
    public void unblock() {
        log.error(
                "[{}] the thread that shares out the shards makes no progress; it waits here: {}",
                name,
                service.whereabouts());
    }

    @Override
    public void stop() {
        // At once, and not after each other: the time to drain is the same for all of them.
        workers.values().forEach(LoopWorker::askToStop);
        service.stop(MOMENT);
        inParallel(LoopWorker::stop);
    }

    @Override
    public void abandon() {
        service.stop(MOMENT);
        inParallel(LoopWorker::abandon);
    }

    private void inParallel(Consumer<LoopWorker> end) {
        List<Thread> ending = new ArrayList<>();
        workers.forEach((shard, worker) -> {
            worker.askToStop();
            Thread thread = new Thread(() -> end.accept(worker), "postrider-" + name + "-" + shard + "-stop");
            thread.setDaemon(true);
            thread.start();
            ending.add(thread);
        });
        for (Thread thread : ending) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
