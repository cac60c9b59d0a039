package dev.postrider.cli.relay;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a relay does, and says when the destination fails and when it works again: once each, not once per
 * event.
 */
final class RelayLog implements RelayListener {
    private static final Logger log = LoggerFactory.getLogger(RelayLog.class);

    private final String name;
    private final String destination;
    private final LongAdder published = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dead = new LongAdder();
    private final LongAdder fenced = new LongAdder();
    private final LongAdder recovered = new LongAdder();

    /** Touched by the relay's thread only. */
    private boolean unavailable;

    /**
     * @param destination at the beginning of a sentence
     */
    RelayLog(String name, String destination) {
        this.name = name;
        this.destination = destination;
    }

    @Override
    public void published(OutboxEvent event, Duration latency) {
        published.increment();
        if (unavailable) {
            unavailable = false;
            log.info("[{}] {} accepts events again", name, destination);
        }
    }

    @Override
    public void failed(OutboxEvent event, String error, boolean counted) {
        failed.increment();
        if (!counted && !unavailable) {
            unavailable = true;
            log.warn(
                    "[{}] {} does not accept events; trying again, no event loses a retry: {}",
                    name,
                    destination,
                    error);
        }
    }

    @Override
    public void dead(long id, String error) {
        dead.increment();
    }

    @Override
    public void fenced(int events) {
        fenced.add(events);
    }

    @Override
    public void recovered(int events) {
        recovered.add(events);
    }

    /** The destination did not answer when the relay started. */
    void unreachable(String problem) {
        log.warn("[{}] {} cannot be reached, the relay keeps trying: {}", name, destination, problem);
    }

    /** The database did not answer when the relay started. */
    void waits(String problem) {
        log.warn("[{}] waits for its database: {}", name, problem);
    }

    /** The outbox cannot be used, and the process has others. */
    void cannotRun(String problem, Duration pause) {
        log.error("[{}] delivers nothing, and tries again every {} s: {}", name, pause.toSeconds(), problem);
    }

    void summary() {
        log.info(
                "[{}] {} published, {} failed, {} dead, {} fenced, {} recovered",
                name,
                published,
                failed,
                dead,
                fenced,
                recovered);
    }

    Map<String, Object> counters() {
        Map<String, Object> counters = new LinkedHashMap<>();
        counters.put("name", name);
        counters.put("published", published.sum());
        counters.put("failed", failed.sum());
        counters.put("dead", dead.sum());
        counters.put("fenced", fenced.sum());
        counters.put("recovered", recovered.sum());
        return counters;
    }
}
