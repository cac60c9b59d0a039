package dev.postrider.cli.destination;

import dev.postrider.cli.doctor.DestinationChecks;
import dev.postrider.cli.settings.KnownSettings;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.publish.Publisher;
import java.nio.file.Path;
import java.util.Optional;

/** Where events go, as it is set. */
public interface EventTarget {

    /**
     * Contacts nobody.
     *
     * @param directory from which relative paths start
     * @throws UsageException if something that is needed is not set
     */
    static EventTarget of(Settings settings, Path directory) {
        return settings.get(KnownSettings.RELAY_DESTINATION).target(settings, directory);
    }

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
