package dev.postrider.internal.spring.settings;

import dev.postrider.RelayOptions;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.settings.Option;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.ResolvableType;
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

    /** Maps of further outboxes: what can be set for each of them. */
    private final Map<ConfigurationPropertyName, KnownProperties> outboxes = new HashMap<>();

    private KnownProperties() {}

    /**
     * @param others what can be set beside the options
     */
    static KnownProperties of(Class<? extends Record> others) {
        KnownProperties known = new KnownProperties();
        known.add(ROOT, others);
        known.addOptions(PropertyNames.PREFIX);
        return known;
    }

    private static KnownProperties ofOutbox(Class<?> properties) {
        KnownProperties known = new KnownProperties();
        known.add(ConfigurationPropertyName.EMPTY, properties);
        known.addOptions("");
        return known;
    }

    private void add(ConfigurationPropertyName group, Class<?> properties) {
        groups.add(group);
        for (RecordComponent component : properties.getRecordComponents()) {
            ConfigurationPropertyName name = group.append(DataObjectPropertyName.toDashedForm(component.getName()));
            Class<?> type = component.getType();
            Class<?> outbox = ResolvableType.forType(component.getGenericType())
                    .asMap()
                    .getGeneric(1)
                    .resolve(Object.class);
            if (type.isRecord()) {
                add(name, type);
            } else if (outbox.isRecord()) {
                groups.add(name);
                outboxes.put(name, ofOutbox(outbox));
            } else if (Map.class.isAssignableFrom(type) || Collection.class.isAssignableFrom(type)) {
                several.add(name);
            } else {
                single.add(name);
            }
        }
    }

    private void addOptions(String prefix) {
        for (Option<?> option : RelayOptions.all()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix + option.key());
            single.add(name);
            for (int length = 1; length < name.getNumberOfElements(); length++) {
                groups.add(name.chop(length));
            }
        }
    }

    /** Whoever set them believes that they do something. */
    void refuseOthers(Environment environment) {
        Map<ConfigurationPropertyName, String> unknown = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names && SOURCES.apply(source)) {
                for (ConfigurationPropertyName name : names) {
                    ConfigurationProperty property =
                            ROOT.isAncestorOf(name) ? names.getConfigurationProperty(name) : null;
                    if (property != null && !knows(property)) {
                        unknown.putIfAbsent(name, SetBy.of(property));
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
        return knows(property.getName(), property.getValue().toString().isEmpty());
    }

    private boolean knows(ConfigurationPropertyName name, boolean empty) {
        ConfigurationPropertyName map = mapAbove(name);
        if (map != null) {
            return Objects.requireNonNull(outboxes.get(map)).knows(inOutbox(map, name), empty);
        }
        return single.contains(name)
                || several.contains(name)
                || several.stream().anyMatch(known -> known.isAncestorOf(name))
                || groups.contains(name) && empty;
    }

    /** Null if it is not of a further outbox. */
    private @Nullable ConfigurationPropertyName mapAbove(ConfigurationPropertyName name) {
        return outboxes.keySet().stream()
                .filter(map -> map.isAncestorOf(name))
                .findFirst()
                .orElse(null);
    }

    /** Without the name of the map and that of the outbox. */
    private static ConfigurationPropertyName inOutbox(ConfigurationPropertyName map, ConfigurationPropertyName name) {
        return name.subName(map.getNumberOfElements() + 1);
    }

    private String hint(ConfigurationPropertyName name) {
        ConfigurationPropertyName map = mapAbove(name);
        if (map == null) {
            return hint(name.subName(ROOT.getNumberOfElements()).toString(), ROOT);
        }
        ConfigurationPropertyName outbox = name.chop(map.getNumberOfElements() + 1);
        return Objects.requireNonNull(outboxes.get(map))
                .hint(inOutbox(map, name).toString(), outbox);
    }

    /** Without what all of them begin with, which would make them all alike. */
    private String hint(String name, ConfigurationPropertyName prefix) {
        List<String> candidates = Stream.concat(single.stream(), several.stream())
                .map(known -> ROOT.isAncestorOf(known) ? known.subName(ROOT.getNumberOfElements()) : known)
                .map(ConfigurationPropertyName::toString)
                .sorted()
                .toList();
        return Nearest.to(name, candidates)
                .map(nearest -> "; did you mean " + prefix + "." + nearest + "?")
                .orElse(".");
    }
}
