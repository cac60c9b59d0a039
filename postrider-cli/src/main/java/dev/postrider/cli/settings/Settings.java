package dev.postrider.cli.settings;

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
public final class Settings {
    private static final Path DEFAULT_FILE = Path.of("postrider.yml");
    private static final String PREFIX = "POSTRIDER_";

    /** Read by the launcher script. */
    private static final String JAVA_OPTIONS = "POSTRIDER_JAVA_OPTS";

    private final Map<Setting<?>, Given> given;

    private Settings(Map<Setting<?>, Given> given) {
        this.given = given;
    }

    /**
     * @param directory in which {@code postrider.yml} is looked for
     * @param file to read instead; null means none was named
     * @param flags texts from the command line
     */
    public static Settings read(
            Path directory, @Nullable Path file, Map<String, String> environment, Map<Setting<?>, String> flags) {
        Map<Setting<?>, Given> all = new HashMap<>();
        if (file != null) {
            all.putAll(SettingsFile.read(directory, file));
        } else if (Files.exists(directory.resolve(DEFAULT_FILE))) {
            all.putAll(SettingsFile.read(directory, DEFAULT_FILE));
        }
        all.putAll(fromEnvironment(environment));
        flags.forEach((setting, text) ->
                all.put(setting, Given.parse(setting, text, String.valueOf(setting.flag()), Given.Layer.FLAG)));
        return new Settings(Map.copyOf(all));
    }

    /** Refuses variables that look like ours and are not. */
    public static void checkVariables(Map<String, String> environment) {
        for (String name : environment.keySet()) {
            boolean ours = name.startsWith(PREFIX) && !name.equals(JAVA_OPTIONS);
            if (ours && KnownSettings.byVariable(name).isEmpty()) {
                List<String> known =
                        KnownSettings.all().stream().map(Setting::variable).toList();
                throw new UsageException("Unknown environment variable " + name + Nearest.hint(name, known));
            }
        }
    }

    /** An empty variable is one that is not set. */
    private static Map<Setting<?>, Given> fromEnvironment(Map<String, String> environment) {
        checkVariables(environment);
        Map<Setting<?>, Given> found = new HashMap<>();
        new TreeMap<>(environment).forEach((name, text) -> {
            Optional<Setting<?>> setting = KnownSettings.byVariable(name);
            if (setting.isPresent() && !text.isEmpty()) {
                Given value = Given.parse(setting.get(), text, name, Given.Layer.ENVIRONMENT);
                Given other = found.put(setting.get(), value);
                if (other != null) {
                    throw new UsageException(other.origin() + " and " + name + " mean the same; set one.");
                }
            }
        });
        return found;
    }

    /** Its value or its default; only for settings that have one. */
    public <T> T get(Setting<T> setting) {
        return find(setting).orElseThrow(() -> new IllegalStateException(setting.key() + " has no default"));
    }

    /** Its value or its default, if there is one. */
    @SuppressWarnings("unchecked") // put there by the setting's own format
    public <T> Optional<T> find(Setting<T> setting) {
        Given value = given.get(setting);
        return Optional.ofNullable(value == null ? setting.standard() : (T) value.value());
    }

    /**
     * @throws UsageException if it is not set
     */
    public <T> T require(Setting<T> setting) {
        return find(setting)
                .orElseThrow(() ->
                        new UsageException(setting.key() + " is needed and not set: use " + setting.ways() + "."));
    }

    /** Of settings that replace each other, the one that was given in the strongest place. */
    public Optional<Setting<?>> strongest(Setting<?> one, Setting<?> other) {
        List<Setting<?>> candidates = new ArrayList<>(List.of(one, other));
        candidates.removeIf(setting -> !given.containsKey(setting));
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
