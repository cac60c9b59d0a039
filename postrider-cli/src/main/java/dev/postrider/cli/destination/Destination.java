package dev.postrider.cli.destination;

import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One kind of thing that events can be delivered to. Everything that a command knows
 * about one, it asks for here or at the {@link EventTarget} that this makes of the settings.
 */
public interface Destination {

    /** In {@code relay.destination}, and the first part of the keys of its own options. */
    String name();

    /** Completes the sentence "delivers events to …". */
    String inWords();

    /** In the order in which they are documented. Must not be made of other options than its own. */
    List<OptionGroup> options();

    /** The option for which the name alone is enough, as in {@code kafka: localhost:9092}. */
    default Optional<Option<?>> byNameAlone() {
        return Optional.empty();
    }

    /** Whether it consists of topics, so that a replay can be led to one of them. */
    default boolean hasTopics() {
        return false;
    }

    /** Whether there is something outside this process, so that its settings can be wrong. */
    default boolean isOutside() {
        return true;
    }

    /** If it is not set where it is, what the doctor says instead of looking at it; a relay refuses to start. */
    default Optional<Finding> unset(Settings settings) {
        return Optional.empty();
    }

    /**
     * Contacts nobody.
     *
     * @param directory from which relative paths start
     * @throws UsageException if something that is needed is not set
     */
    EventTarget target(Settings settings, Path directory);
}
