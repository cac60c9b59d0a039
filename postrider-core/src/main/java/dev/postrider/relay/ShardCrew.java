package dev.postrider.relay;

import dev.postrider.lease.HeldShards;
import dev.postrider.lease.InstanceLease;
import dev.postrider.lease.Tenure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker for each shard that the relay holds, so that the transaction of one shard does not wait for that of
 * another. A thread of its own hires a worker for a shard that has come, and sees off those whose shards have gone. When
 * the relay's lease has lapsed all of them end; then the relay goes on under a new name.
 */
public final class ShardCrew implements Worker {
    private static final Logger log = LoggerFactory.getLogger(ShardCrew.class);
    private static final long LOOK_INTERVAL = Duration.ofMillis(500).toNanos();

    private final String name;
    private final InstanceLease lease;
    private final HeldShards shards;
    private final Hiring hiring;
    private final Thread thread;
    private final Wakeup wakeup = new Wakeup();
    private final Map<Integer, LoopWorker> workers = new ConcurrentHashMap<>();
    private volatile boolean stopping;

    public ShardCrew(String name, InstanceLease lease, HeldShards shards, Hiring hiring) {
        this.name = name;
        this.lease = lease;
        this.shards = shards;
        this.hiring = hiring;
        this.thread = new Thread(this::lead, "postrider-" + name);
    }

    /** Makes a worker for a shard. */
    @FunctionalInterface
    public interface Hiring {
        LoopWorker hire(int shard, Tenure tenure);
    }

    /** The relay's, as long as one shard is read under it. */
    private final class ShardTenure implements Tenure {
        private final int shard;

        ShardTenure(int shard) {
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

        /** The name is every worker's: it changes when all of them have ended. */
        @Override
        public void replace() {
            LoopWorker worker = workers.get(shard);
            if (worker != null) {
                worker.askToStop();
            }
        }
    }

    @Override
    public void start() {
        thread.start();
    }

    private void lead() {
        while (!stopping) {
            try {
                adjust();
                wakeup.await(LOOK_INTERVAL);
            } catch (SQLException e) {
                log.warn("[{}] the lease cannot be taken anew yet: {}", name, e.getMessage());
            } catch (InterruptedException e) {
                stopping = true;
            } catch (RuntimeException e) {
                log.error("[{}] unexpected error, trying again", name, e);
            }
        }
    }

    private void adjust() throws SQLException {
        Set<Integer> held = shards.held().keySet();
        workers.forEach((shard, worker) -> {
            if (worker.hasEnded()) {
                worker.stop();
                workers.remove(shard);
            } else if (!held.contains(shard)) {
                worker.askToStop();
            }
        });
        if (lease.holds()) {
            hireMissing(held);
        } else if (workers.isEmpty()) {
            lease.replace();
            log.info("[{}] goes on as {}", name, lease.owner());
        }
    }

    private void hireMissing(Set<Integer> held) {
        for (Integer shard : held) {
            // Also for one that is to be handed over at once: that is a worker's task.
            if (!workers.containsKey(shard)) {
                LoopWorker worker = hiring.hire(shard, new ShardTenure(shard));
                workers.put(shard, worker);
                worker.start();
            }
        }
    }

    @Override
    public void nudge() {
        wakeup.signal();
        workers.values().forEach(LoopWorker::nudge);
    }

    @Override
    public RelayLoop.Report runOnce() throws SQLException, InterruptedException {
        RelayLoop.Report report = new RelayLoop.Report();
        for (Integer shard : shards.held().keySet()) {
            LoopWorker worker = workers.computeIfAbsent(shard, any -> hiring.hire(shard, new ShardTenure(shard)));
            report.add(worker.runOnce());
        }
        return report;
    }

    @Override
    public void stopTheLine() {
        workers.values().forEach(LoopWorker::stopTheLine);
    }

    /** Of the worker whose destination is worst. */
    @Override
    public String circuit() {
        List<String> states = new ArrayList<>(
                workers.values().stream().map(LoopWorker::circuit).toList());
        return states.contains("open") ? "open" : states.contains("half-open") ? "half-open" : "closed";
    }

    @Override
    public void stop() {
        stopping = true;
        wakeup.signal();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        workers.values().forEach(LoopWorker::askToStop);
        workers.values().forEach(LoopWorker::stop);
    }
}
