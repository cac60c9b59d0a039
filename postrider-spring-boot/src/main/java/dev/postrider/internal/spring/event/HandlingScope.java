package dev.postrider.internal.spring.event;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is around the handling of an event: the trace that it was written in goes on. */
public interface HandlingScope {
    /** Nothing is. */
    HandlingScope NONE = (headers, name, id, work) -> work.run();

    /**
     * @param headers finds a header of the event by its name
     * @param name where it comes from, a topic or the event's type
     * @param id of the event
     */
    void run(Function<String, @Nullable String> headers, String name, String id, Work work) throws Exception;

    /** Handles the event. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }
}
