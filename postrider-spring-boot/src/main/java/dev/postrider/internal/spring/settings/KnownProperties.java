package dev.postrider.internal.spring.settings;

import dev.postrider.RelayOptions;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.settings.Option;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * The names of all properties below {@code postrider}: those of a record and of the records in it, and those of options. Names
 * are compared as Spring Boot does it: {@code batchSize} is {@code batch-size}.
 */
final class KnownProperties {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("postrider");

    /** System properties and variables are left out, as Spring Boot does: others may have put them there. */
    private static final UnboundElementsSourceFilter SOURCES = new UnboundElementsSourceFilter();

    private final Set<ConfigurationPropertyName> single = new HashSet<>();

    /** Maps and lists: whatever is below them is theirs. */
    private final Set<ConfigurationPropertyName> several = new HashSet<>();

    /** An empty one in a file sets nothing. */
    private final Set<ConfigurationPropertyName> groups = new HashSet<>();

    private KnownProperties() {}

    /**
     * @param others what can be set beside the options
     */
    static KnownProperties of(Class<? extends Record> others) {
        KnownProperties known = new KnownProperties();
        known.add(ROOT, others);
        RelayOptions.all().forEach(known::add);
        return known;
    }

    private void add(ConfigurationPropertyName group, Class<?> properties) {
        groups.add(group);
        for (RecordComponent component : properties.getRecordComponents()) {
            ConfigurationPropertyName name = group.append(DataObjectPropertyName.toDashedForm(component.getName()));
            Class<?> type = component.getType();
            if (type.isRecord()) {
                add(name, type);
            } else if (Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type)) {
                several.add(name);
            } else {
                single.add(name);
            }
        }
    }

    private void add(Option<?> option) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(PropertyNames.of(option));
        single.add(name);
        for (int length = 1; length < name.getNumberOfElements(); length++) {
            groups.add(name.chop(length));
        }
    }

    /** Whoever set them believes that they do something. */
    void refuseOthers(Environment environment) {
        Map<String, String> unknown = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && SOURCES.apply(source)) {
                for (ConfigurationPropertyName name : names) {
                    ConfigurationProperty property =
                            ROOT.isAncestorOf(name) ? names.getConfigurationProperty(name) : null;
                    if (property != null && !knows(property)) {
                        unknown.putIfAbsent(name.toString(), SetBy.of(property));
                    }
                }
            }
        }
        if (!unknown.isEmpty()) {
            throw new PostriderStartException(
                    String.join(
                            " ",
                            unknown.keySet().stream()
                                    .map(name -> "There is no property " + name + hint(name))
                                    .toList()),
                    "Correct or remove what is set by " + String.join(", and by ", unknown.values()) + ".");
        }
    }

    private boolean knows(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        return single.contains(name)
                || several.contains(name)
                || several.stream().anyMatch(known -> known.isAncestorOf(name))
                || groups.contains(name) && property.getValue().toString().isEmpty();
    }

    /** Without what all of them begin with, which would make them all alike. */
    private String hint(String name) {
        List<String> candidates = Stream.concat(single.stream(), several.stream())
                .map(known -> known.toString().substring(PropertyNames.PREFIX.length()))
                .sorted()
                .toList();
        return Nearest.to(name.substring(PropertyNames.PREFIX.length()), candidates)
                .map(nearest -> "; did you mean " + PropertyNames.PREFIX + nearest + "?")
                .orElse(".");
    }
}
