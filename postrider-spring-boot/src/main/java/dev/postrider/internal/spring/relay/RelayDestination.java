package dev.postrider.internal.spring.relay;

import dev.postrider.publish.Publisher;

/** What the relay delivers to. */
@FunctionalInterface
public interface RelayDestination {

    /** A publisher for the next run of the relay, which closes it: a context that is stopped can be started again. */
    Publisher publisher();

    /** Whether there can be another one after the first. */
    default boolean isRepeatable() {
        return true;
    }
}
