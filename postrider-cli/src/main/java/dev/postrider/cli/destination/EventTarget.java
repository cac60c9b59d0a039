package dev.postrider.cli.destination;

import dev.postrider.cli.doctor.check.DestinationChecks;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.Publisher;
import java.util.Optional;

/** Where events go, as it is set. */
public interface EventTarget {

    /** At the beginning of a sentence. */
    String name();

    /** Where each event goes, within a sentence. */
    String places();

    /**
     * Contacts nobody.
     *
     * @throws UsageException if the settings cannot be used
     */
    Publisher publisher();

    /** Why it cannot be reached, if that is known. */
    default Optional<String> problem() throws InterruptedException {
        return Optional.empty();
    }

    /** What the doctor looks at there; empty if there is nothing to look at without sending. */
    default Optional<DestinationChecks> checks() {
        return Optional.empty();
    }
}
