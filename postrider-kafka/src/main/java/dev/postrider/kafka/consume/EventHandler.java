package dev.postrider.kafka.consume;

/** Handles an event. Called by the consumer's thread, one event at a time. */
@FunctionalInterface
public interface EventHandler {

    /**
     * Returns when the work is done for good: the event is not delivered again, unless the consumer dies before it has
     * committed the offset. So the effect must be idempotent, by the event's id and in the transaction of the work.
     *
     * @throws Exception to have it retried, and put into the dead letter topic after the last retry
     */
    void handle(ReceivedEvent event) throws Exception;
}
