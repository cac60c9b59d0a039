package dev.postrider.alert;

import dev.postrider.internal.alert.AlertMonitor;

/**
 * A way to people. Called by any thread, several at a time.
 *
 * <p>{@link #send} returns at once and never throws: what takes time or can fail is done on a thread
 * of the channel's own.
 */
@FunctionalInterface
public interface AlertChannel extends AutoCloseable {

    void send(Alert alert);

    /** Nothing is sent after it. Called by {@link AlertMonitor#close}. */
    @Override
    default void close() {}
}
