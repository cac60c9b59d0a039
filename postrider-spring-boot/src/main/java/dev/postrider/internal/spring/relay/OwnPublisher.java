package dev.postrider.internal.spring.relay;

import dev.postrider.PostriderException;
import dev.postrider.publish.Publisher;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A publisher that the application has made. */
public final class OwnPublisher implements RelayDestination {
    private final Supplier<Publisher> publishers;
    private final boolean repeatable;
    private @Nullable Publisher last;

    /**
     * @param repeatable whether each one that is asked for is a new one
     */
    public OwnPublisher(Supplier<Publisher> publishers, boolean repeatable) {
        this.publishers = publishers;
        this.repeatable = repeatable;
    }

    @Override
    public boolean isRepeatable() {
        return repeatable;
    }

    @Override
    public synchronized Publisher publisher() {
        Publisher next = publishers.get();
        if (next == last) {
            throw new PostriderException("The publisher " + next.getClass().getName()
                    + " was closed when the relay was stopped, so that the relay cannot be started again. Give its bean the"
                    + " scope prototype: then every start has one of its own.");
        }
        last = next;
        return next;
    }
}
