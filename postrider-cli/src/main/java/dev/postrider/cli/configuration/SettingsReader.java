package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.OptionNames;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.http.HttpSettings;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Option;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads {@link OutboxSettings} from the file, the environment and the flags. */
public final class SettingsReader {
    private static final Path DEFAULT_FILE = Path.of("postrider.yml");
    private static final String PREFIX = "POSTRIDER_";

    /** Of one outbox: its name follows. */
    private static final String OF_OUTBOX = "POSTRIDER_OUTBOXES_";

    /** Read by the launcher script. */
    private static final String JAVA_OPTIONS = "POSTRIDER_JAVA_OPTS";

    private SettingsReader() {}

    /**
     * @param directory in which {@code postrider.yml} is looked for
     * @param file to read instead; null means none was named
     * @param flags texts from the command line
     */
    public static OutboxSettings read(
            Path directory, @Nullable Path file, Map<String, String> environment, Map<Option<?>, String> flags) {
        SettingsFile.Content content = new SettingsFile.Content(Map.of(), Map.of());
        if (file != null) {
            content = SettingsFile.read(directory, file);
        } else if (Files.exists(directory.resolve(DEFAULT_FILE))) {
            content = SettingsFile.read(directory, DEFAULT_FILE);
        }
        Map<Option<?>, Given> general = new HashMap<>(content.general());
        general.putAll(fromEnvironment(environment));
        flags.forEach((option, text) ->
                general.put(option, Given.parse(option, text, String.valueOf(option.flag()), Given.Layer.FLAG)));
        Map<String, Map<Option<?>, Given>> outboxes = new LinkedHashMap<>();
        content.outboxes().forEach((name, settings) -> outboxes.put(name, new HashMap<>(settings)));
        new TreeMap<>(environment).forEach((variable, text) -> {
            if (variable.startsWith(OF_OUTBOX) && !text.isEmpty()) {
                putForOutbox(variable, text, outboxes);
            }
        });
        return OutboxSettings.of(general, outboxes);
    }

    /** {@code POSTRIDER_OUTBOXES_ORDERS_DB_PASSWORD}: of the outbox whose name it begins with. */
    private static void putForOutbox(String variable, String text, Map<String, Map<Option<?>, Given>> outboxes) {
        List<String> known = new ArrayList<>();
        for (Map.Entry<String, Map<Option<?>, Given>> outbox : outboxes.entrySet()) {
            for (Option<?> option : KnownSettings.all()) {
                boolean ofProcess = HttpSettings.OPTIONS.options().contains(option);
                String name = OptionNames.variable(SettingsFile.OUTBOXES + "." + outbox.getKey() + "." + option.key());
                if (name.equals(variable) && !ofProcess) {
                    outbox.getValue().put(option, Given.parse(option, text, variable, Given.Layer.OUTBOX_ENVIRONMENT));
                    return;
                }
                known.add(name);
            }
        }
        throw new UsageException("Unknown environment variable " + variable
                + (outboxes.isEmpty() ? ": the configuration file has no outboxes." : Nearest.hint(variable, known)));
    }

    /** Refuses variables that look like ours and are not. Those of an outbox can be checked only with the file. */
    public static void checkVariables(Map<String, String> environment) {
        for (String name : environment.keySet()) {
            boolean ours = name.startsWith(PREFIX) && !name.equals(JAVA_OPTIONS) && !name.startsWith(OF_OUTBOX);
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
