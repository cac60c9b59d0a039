package dev.postrider.alert;

/**
 * Sends alerts to people. Called by any thread, several at a time.
 *
 * <p>{@link #send} returns at once and never throws: the channel does what takes time or can fail on its own thread.
 */
@FunctionalInterface
public interface AlertChannel extends AutoCloseable {

    void send(Alert alert);

    /** Nothing is sent afterwards. Called when the relay stops. */
    @Override
    default void close() {}
}
