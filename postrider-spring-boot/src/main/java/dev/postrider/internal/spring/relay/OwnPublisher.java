package dev.postrider.internal.spring.relay;

import dev.postrider.PostriderException;
import dev.postrider.publish.Publisher;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** A publisher that the application has made. */
public final class OwnPublisher implements RelayDestination {
    private final ObjectProvider<Publisher> publishers;
    private @Nullable Publisher last;

    public OwnPublisher(ObjectProvider<Publisher> publishers) {
        this.publishers = publishers;
    }

    @Override
    public synchronized Publisher publisher() {
        Publisher next = publishers.getObject();
        if (next == last) {
            throw new PostriderException("The publisher " + next.getClass().getName()
                    + " was closed when the relay was stopped, so that the relay cannot be started again. Give its bean the"
                    + " scope prototype: then every start has one of its own.");
        }
        last = next;
        return next;
    }
}
