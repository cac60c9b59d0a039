package dev.postrider.cli.configuration;

import dev.postrider.cli.destination.Destination;
import dev.postrider.cli.destination.EventTarget;
import dev.postrider.cli.destination.kafka.KafkaDestination;
import dev.postrider.cli.destination.log.LogDestination;
import dev.postrider.cli.destination.webhook.WebhookDestination;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Option;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The destinations there are. A new one is a line here and a package of its own. */
public final class Destinations {
    private static final List<Destination> ALL =
            List.of(new KafkaDestination(), new WebhookDestination(), new LogDestination());

    private Destinations() {}

    /** In the order in which they are documented. */
    public static List<Destination> all() {
        return ALL;
    }

    /** What events are delivered to if nothing else is said. */
    public static Destination standard() {
        return ALL.get(0);
    }

    /**
     * The one that is set. Contacts nobody.
     *
     * @param directory from which relative paths start
     * @throws UsageException if something that is needed is not set
     */
    public static EventTarget target(Settings settings, Path directory) {
        return settings.get(KnownSettings.RELAY_DESTINATION).target(settings, directory);
    }

    /** The options that the name of their destination alone means. */
    public static Map<String, Option<?>> optionsByNameAlone() {
        Map<String, Option<?>> options = new TreeMap<>();
        for (Destination destination : ALL) {
            destination.byNameAlone().ifPresent(option -> options.put(destination.name(), option));
        }
        return Map.copyOf(options);
    }

    /** The groups of settings of these destinations, and others beside them. */
    public static String[] groupsAnd(Predicate<Destination> which, String... others) {
        return Stream.concat(Stream.of(others), ALL.stream().filter(which).map(Destination::name))
                .toArray(String[]::new);
    }

    /** Completes the sentence "delivers events …": to the first, to the second, or to the last. */
    public static String inWords() {
        List<String> ways =
                ALL.stream().map(destination -> "to " + destination.inWords()).toList();
        int last = ways.size() - 1;
        return ways.subList(0, last).stream().collect(Collectors.joining(", ")) + ", or " + ways.get(last);
    }
}
