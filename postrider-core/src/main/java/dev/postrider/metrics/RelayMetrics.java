package dev.postrider.metrics;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxPause;
import dev.postrider.RelayListener;
import dev.postrider.WakeUp;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A relay's meters. Counters are updated as things happen, and the relay updates the gauges every few seconds from a
 * capped count, so that a scrape costs the database nothing. Close it when the relay has
 * stopped: that removes the meters from the registry, which would otherwise keep the next relay from registering its gauges.
 */
public final class RelayMetrics implements RelayListener, AutoCloseable {
    private final MeterRegistry registry;
    private final Tags tags;
    private final List<Meter> meters = new ArrayList<>();
    private final Map<String, Gauge> blocked = new ConcurrentHashMap<>();
    private boolean closed;
    private final Timer latency;
    private final Counter processed;
    private final Counter failed;
    private final Counter failures;
    private final Counter dead;
    private final Counter fenced;
    private final Counter recovered;
    private final Counter failOvers;
    private final Counter integrity;
    private final Counter deadInFile;
    private final Counter deadUnsaved;
    private volatile boolean paused;
    private volatile boolean wokenByStream;
    private volatile String circuit = "closed";
    private volatile long pending;
    private volatile Duration oldest = Duration.ZERO;
    private volatile long unanswered;
    private volatile Duration oldestUnanswered = Duration.ZERO;

    /**
     * @param outbox value of the tag {@code outbox}
     */
    public RelayMetrics(MeterRegistry registry, String outbox) {
        this.registry = registry;
        this.tags = Tags.of("outbox", outbox);
        this.latency = kept(Timer.builder("outbox.process.latency")
                .description("From the insert of an event to the broker's acknowledgement")
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry));
        this.processed = counter("outbox.processed.count", "Events acknowledged by the broker");
        this.failed = counter("outbox.failed.count", "Attempts that cost an event a retry");
        this.failures = counter("outbox.failure.count", "Attempts that failed, for any reason");
        this.dead = counter("outbox.dlq.count", "Events given up");
        this.fenced = counter("outbox.fenced.count", "Outcomes not recorded because another relay had taken the event");
        this.recovered = counter("outbox.stalled.recovered.count", "Events put back that a dead relay had claimed");
        this.failOvers = counter(
                "outbox.failover.count",
                "Shards taken over after a fail-over of the database: their last events may have come twice");
        this.integrity = counter("outbox.integrity.failure.count", "Rows that were changed after they were written");
        this.deadInFile = counter("outbox.dlq.file.count", "Dead letters in the local file because the table failed");
        this.deadUnsaved = counter("outbox.dlq.unsaved.count", "Dead letters that are only in an alert and the log");
        kept(Gauge.builder("outbox.circuit.state", this, metrics -> metrics.circuitNumber())
                .description("0 closed, 1 half-open, 2 open")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.wakeup.wal", this, metrics -> metrics.wokenByStream ? 1 : 0)
                .description("1 while the relay is woken by the replication stream")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.paused", this, metrics -> metrics.paused ? 1 : 0)
                .description("1 while an operator has paused the outbox")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.pending.count", this, metrics -> metrics.pending)
                .description("Events not yet published; stops counting at 100 000")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.oldest.age", this, metrics -> metrics.oldest.toMillis() / 1000.0)
                .description("Age of the oldest event not yet published")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.unanswered.count", this, metrics -> metrics.unanswered)
                .description("Events that the destination has not answered for longer than relay.no-answer-after")
                .tags(tags)
                .register(registry));
        kept(Gauge.builder("outbox.unanswered.age", this, metrics -> metrics.oldestUnanswered.toMillis() / 1000.0)
                .description("How long the oldest of them has been without an answer")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry));
    }

    private Counter counter(String name, String description) {
        return kept(Counter.builder(name).description(description).tags(tags).register(registry));
    }

    private <M extends Meter> M kept(M meter) {
        meters.add(meter);
        return meter;
    }

    @Override
    public void published(OutboxEvent event, Duration sinceInsert) {
        latency.record(sinceInsert);
        processed.increment();
    }

    @Override
    public void failed(OutboxEvent event, String error, boolean counted) {
        failures.increment();
        if (counted) {
            failed.increment();
        }
    }

    @Override
    public void dead(long id, String error) {
        dead.increment();
    }

    @Override
    public void fenced(int events) {
        fenced.increment(events);
    }

    @Override
    public void recovered(int events) {
        recovered.increment(events);
    }

    @Override
    public void databaseFailedOver(int shard, int fromTimeline, int toTimeline) {
        failOvers.increment();
    }

    @Override
    public void integrityFailure(long id) {
        integrity.increment();
    }

    @Override
    public void deadLetterInFile(long id) {
        deadInFile.increment();
    }

    @Override
    public void deadLetterUnsaved(long id, String row) {
        deadUnsaved.increment();
    }

    @Override
    public void circuitChanged(String state) {
        circuit = state;
    }

    @Override
    public void wakeUpChanged(WakeUp inForce) {
        wokenByStream = inForce == WakeUp.WAL;
    }

    @Override
    public void paused(@Nullable OutboxPause pause) {
        paused = pause != null;
    }

    /**
     * One gauge for each destination that accepts nothing, for as long as it does not; there is none for the others.
     * With exactly once each shard's thread calls this.
     */
    @Override
    public synchronized void blocked(Map<String, String> destinations) {
        if (closed) {
            return;
        }
        Set<String> gone = new HashSet<>(blocked.keySet());
        gone.removeAll(destinations.keySet());
        gone.forEach(destination -> registry.remove(blocked.remove(destination)));
        for (String destination : destinations.keySet()) {
            blocked.computeIfAbsent(
                    destination,
                    any -> Gauge.builder("outbox.destination.blocked", () -> 1)
                            .description("1 for each destination that is blocked")
                            .tags(tags.and("destination", destination))
                            .register(registry));
        }
    }

    private int circuitNumber() {
        return switch (circuit) {
            case "open" -> 2;
            case "half-open" -> 1;
            default -> 0;
        };
    }

    @Override
    public void unanswered(long events, Duration age) {
        unanswered = events;
        oldestUnanswered = age;
    }

    @Override
    public void backlog(long count, Duration age) {
        pending = count;
        oldest = age;
    }

    @Override
    public synchronized void close() {
        closed = true;
        meters.forEach(registry::remove);
        blocked.values().forEach(registry::remove);
        blocked.clear();
    }
}
