package dev.postrider.kafka.consume;

import java.util.List;

/** Handles many events at once, best in one transaction. Called by the consumer's thread. */
@FunctionalInterface
public interface BatchHandler {

    /**
     * All or nothing: if it throws, none of them counts as handled, and it is called again with each event alone, in
     * order. Events that fail alone are retried, and put into the dead letter topic after the last retry.
     *
     * @param events one or more; those of one key in order
     * @throws Exception if they were not handled
     */
    void handle(List<ReceivedEvent> events) throws Exception;
}
