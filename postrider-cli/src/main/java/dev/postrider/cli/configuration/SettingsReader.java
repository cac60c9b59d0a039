package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.OptionNames;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Option;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@link Settings} from the file, the environment and the flags. */
public final class SettingsReader {
    private static final Path DEFAULT_FILE = Path.of("postrider.yml");
    private static final String PREFIX = "POSTRIDER_";

    /** Read by the launcher script. */
    private static final String JAVA_OPTIONS = "POSTRIDER_JAVA_OPTS";

    private SettingsReader() {}

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
        return new Settings(all);
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
}
