package dev.postrider.kafka.consume;

import java.util.List;

/** What a service does about many events at once, best in one transaction. Called by the consumer's thread. */
@FunctionalInterface
public interface BatchHandler {

    /**
     * All or nothing: if it throws, none of them counts as handled, and each is handed over again, alone, in its order.
     * Those that fail alone are retried, and put into the dead letter topic after the last retry.
     *
     * @param events one or more; those of one key in their order
     * @throws Exception if it is not done
     */
    void handle(List<ReceivedEvent> events) throws Exception;
}
