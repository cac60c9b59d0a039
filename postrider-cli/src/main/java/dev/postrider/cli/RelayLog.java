package dev.postrider.cli;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a relay does and says when sending begins to fail and when it works again: once each,
 * not once per event.
 */
final class RelayLog implements RelayListener {
    private static final Logger log = LoggerFactory.getLogger(RelayLog.class);

    private final String name;
    private final LongAdder published = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder dead = new LongAdder();
    private final LongAdder fenced = new LongAdder();
    private final LongAdder recovered = new LongAdder();

    /** Touched by the relay's thread only. */
    private boolean failing;

    RelayLog(String name) {
        this.name = name;
    }

    @Override
    public void published(OutboxEvent event, Duration latency) {
        published.increment();
        if (failing) {
            failing = false;
            log.info("[{}] events are accepted again", name);
        }
    }

    @Override
    public void failed(OutboxEvent event, String error, boolean counted) {
        failed.increment();
        if (!failing) {
            failing = true;
            log.warn(
                    "[{}] event {} was not accepted{}, trying again; more failures like it are not logged: {}",
                    name,
                    event.id(),
                    counted ? "" : ", by no fault of its own",
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
