package dev.postrider.internal.spring.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Reads what is set for a further outbox, by names without anything before them: {@code relay.destination} is {@code
 * postrider.outboxes.NAME.relay.destination}, or else {@code postrider.relay.destination}.
 */
public final class OutboxBinder {
    private static final String ROOT = "postrider";
    static final String OUTBOXES = ROOT + ".outboxes";

    private static final ConfigurationPropertyName ABOVE = ConfigurationPropertyName.of(OUTBOXES);

    private OutboxBinder() {}

    /** The names of all further outboxes of which anything is set, in the order of the alphabet. */
    public static List<String> names(Environment environment) {
        TreeSet<String> names = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource properties) {
                properties.stream()
                        .filter(ABOVE::isAncestorOf)
                        .forEach(name -> names.add(name.getElement(ABOVE.getNumberOfElements(), Form.ORIGINAL)));
            }
        }
        return List.copyOf(names);
    }

    public static Binder of(Environment environment, String outbox) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        for (String prefix : List.of(OUTBOXES + "." + outbox, ROOT)) {
            for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
                sources.add(source.withPrefix(prefix));
            }
        }
        return new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
    }
}
