package dev.postrider.cli.settings;

import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionValues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is set, from the file, the environment and the flags, the later beating the earlier. Everything
 * that was given has been checked, needed or not.
 */
public final class Settings implements OptionValues {
    private static final Path DEFAULT_FILE = Path.of("postrider.yml");
    private static final String PREFIX = "POSTRIDER_";

    /** Read by the launcher script. */
    private static final String JAVA_OPTIONS = "POSTRIDER_JAVA_OPTS";

    private final Map<Option<?>, Given> given;

    private Settings(Map<Option<?>, Given> given) {
        this.given = given;
    }

    /**
     * @param directory in which {@code postrider.yml} is looked for
     * @param file to read instead; null means none was named
     * @param flags texts from the command line
     */
    public static Settings read(
            Path directory, @Nullable Path file, Map<String, String> environment, Map<Option<?>, String> flags) {
        Map<Option<?>, Given> all = new HashMap<>();
        if (file != null) {
            all.putAll(SettingsFile.read(directory, file));
        } else if (Files.exists(directory.resolve(DEFAULT_FILE))) {
            all.putAll(SettingsFile.read(directory, DEFAULT_FILE));
        }
        all.putAll(fromEnvironment(environment));
        flags.forEach((option, text) ->
                all.put(option, Given.parse(option, text, String.valueOf(option.flag()), Given.Layer.FLAG)));
        return new Settings(Map.copyOf(all));
    }

    /** Refuses variables that look like ours and are not. */
    public static void checkVariables(Map<String, String> environment) {
        for (String name : environment.keySet()) {
            boolean ours = name.startsWith(PREFIX) && !name.equals(JAVA_OPTIONS);
            if (ours && KnownSettings.byVariable(name).isEmpty()) {
                List<String> known =
                        KnownSettings.all().stream().map(OptionNames::variable).toList();
                throw new UsageException("Unknown environment variable " + name + Nearest.hint(name, known));
            }
        }
    }

    /** An empty variable is one that is not set. */
    private static Map<Option<?>, Given> fromEnvironment(Map<String, String> environment) {
        checkVariables(environment);
        Map<Option<?>, Given> found = new HashMap<>();
        new TreeMap<>(environment).forEach((name, text) -> {
            Optional<Option<?>> option = KnownSettings.byVariable(name);
            if (option.isPresent() && !text.isEmpty()) {
                Given value = Given.parse(option.get(), text, name, Given.Layer.ENVIRONMENT);
                Given other = found.put(option.get(), value);
                if (other != null) {
                    throw new UsageException(other.origin() + " and " + name + " mean the same; set one.");
                }
            }
        });
        return found;
    }

    @Override
    @SuppressWarnings("unchecked") // put there by the option's own format
    public <T> Optional<T> given(Option<T> option) {
        Given value = given.get(option);
        return value == null ? Optional.empty() : Optional.of((T) value.value());
    }

    /** The same, with relative paths of files, also of those that are defaults, as paths from this directory. */
    public OptionValues in(Path directory) {
        return new OptionValues() {
            @Override
            public <T> Optional<T> given(Option<T> option) {
                return Settings.this.given(option).map(this::resolve);
            }

            @Override
            public <T> Optional<T> find(Option<T> option) {
                return Settings.this.find(option).map(this::resolve);
            }

            @SuppressWarnings("unchecked") // a path for a path
            private <T> T resolve(T value) {
                return value instanceof Path path ? (T) directory.resolve(path) : value;
            }
        };
    }

    /**
     * @throws UsageException if it is not set
     */
    public <T> T require(Option<T> option) {
        return find(option)
                .orElseThrow(() -> new UsageException(
                        option.key() + " is needed and not set: use " + OptionNames.ways(option) + "."));
    }

    /** Of options that replace each other, the one that was given in the strongest place. */
    public Optional<Option<?>> strongest(Option<?> one, Option<?> other) {
        List<Option<?>> candidates = new ArrayList<>(List.of(one, other));
        candidates.removeIf(option -> !given.containsKey(option));
        if (candidates.size() < 2) {
            return candidates.stream().findFirst();
        }
        Given first = given.get(one);
        Given second = given.get(other);
        if (first.layer() == second.layer()) {
            throw new UsageException(first.origin() + " and " + second.origin() + " exclude each other; keep one.");
        }
        return Optional.of(first.layer().compareTo(second.layer()) > 0 ? one : other);
    }
}
