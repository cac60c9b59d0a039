package dev.postrider.internal.alert;

import dev.postrider.alert.Alert;
import dev.postrider.alert.AlertChannel;
import java.util.ArrayList;
import java.util.List;

/** Remembers what it was told, until asked. */
final class RecordingChannel implements AlertChannel {
    private final List<Alert> alerts = new ArrayList<>();
    private boolean closed;

    @Override
    public synchronized void send(Alert alert) {
        alerts.add(alert);
    }

    /** Everything since the last call. */
    synchronized List<Alert> take() {
        List<Alert> taken = List.copyOf(alerts);
        alerts.clear();
        return taken;
    }

    /** The same as "rule" or "rule over". */
    List<String> takeRules() {
        return take().stream()
                .map(alert -> alert.rule() + (alert.recovery() ? " over" : ""))
                .toList();
    }

    synchronized int size() {
        return alerts.size();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
