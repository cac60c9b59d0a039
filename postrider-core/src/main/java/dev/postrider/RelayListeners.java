package dev.postrider;

import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Several listeners as one. Used by the relay's threads. */
final class RelayListeners implements RelayListener {
    private static final Logger log = LoggerFactory.getLogger(RelayListeners.class);

    private final List<RelayListener> listeners;

    /** Those that have thrown: once is worth a warning, every event is not. */
    private final Set<RelayListener> throwing =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    RelayListeners(List<? extends RelayListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void published(OutboxEvent event, Duration latency) {
        tell(listener -> listener.published(event, latency));
    }

    @Override
    public void failed(OutboxEvent event, String error, boolean counted) {
        tell(listener -> listener.failed(event, error, counted));
    }

    @Override
    public void dead(long id, String error) {
        tell(listener -> listener.dead(id, error));
    }

    @Override
    public void integrityFailure(long id) {
        tell(listener -> listener.integrityFailure(id));
    }

    @Override
    public void circuitChanged(String state) {
        tell(listener -> listener.circuitChanged(state));
    }

    @Override
    public void paused(@Nullable OutboxPause pause) {
        tell(listener -> listener.paused(pause));
    }

    @Override
    public void wakeUpChanged(WakeUp inForce) {
        tell(listener -> listener.wakeUpChanged(inForce));
    }

    @Override
    public void blocked(Map<String, String> destinations) {
        tell(listener -> listener.blocked(destinations));
    }

    @Override
    public void deadLetterInFile(long id) {
        tell(listener -> listener.deadLetterInFile(id));
    }

    @Override
    public void deadLetterUnsaved(long id, String row) {
        tell(listener -> listener.deadLetterUnsaved(id, row));
    }

    @Override
    public void fenced(int events) {
        tell(listener -> listener.fenced(events));
    }

    @Override
    public void recovered(int events) {
        tell(listener -> listener.recovered(events));
    }

    @Override
    public void databaseFailedOver(int shard, int fromTimeline, int toTimeline) {
        tell(listener -> listener.databaseFailedOver(shard, fromTimeline, toTimeline));
    }

    @Override
    public void unanswered(long events, Duration oldest) {
        tell(listener -> listener.unanswered(events, oldest));
    }

    @Override
    public void backlog(long count, Duration oldest) {
        tell(listener -> listener.backlog(count, oldest));
    }

    private void tell(Consumer<RelayListener> what) {
        for (RelayListener listener : listeners) {
            try {
                what.accept(listener);
            } catch (RuntimeException e) {
                if (throwing.add(listener)) {
                    log.warn(
                            "A relay's listener threw an exception, which it must not: {}. This is logged once.",
                            listener.getClass().getName(),
                            e);
                }
            }
        }
    }
}
