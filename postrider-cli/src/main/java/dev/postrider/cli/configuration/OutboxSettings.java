package dev.postrider.cli.configuration;

import dev.postrider.OutboxTable;
import dev.postrider.RelaySettings;
import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Option;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is set for all outboxes, and for each that the file names below {@code outboxes}. What is set for one outbox beats
 * what is set for all.
 *
 * @param general what is set outside of {@code outboxes}
 * @param named by the names in the file, in its order; none if the file has no {@code outboxes}
 */
public record OutboxSettings(Settings general, Map<String, Settings> named) {
    static final String FLAG = "--outbox";

    private static final Option<?> DEAD_LETTER_FILE =
            KnownSettings.byKey("relay.dead-letter.file").orElseThrow();

    static OutboxSettings of(Map<Option<?>, Given> general, Map<String, Map<Option<?>, Given>> own) {
        Settings all = new Settings(general);
        // One name for the process, so that its relays can be told to belong together.
        String process = all.find(RelaySettings.NAME)
                .orElseGet(() -> RelaySettings.builder().build().name());
        Map<String, Settings> named = new LinkedHashMap<>();
        own.forEach((name, settings) -> {
            Map<Option<?>, Given> together = new HashMap<>(general);
            // Logs and files of several outboxes must not be taken for each other's.
            together.put(RelaySettings.NAME, implied(name + "-" + process));
            together.put(DEAD_LETTER_FILE, implied(fileOf(name, (Path) all.get(DEAD_LETTER_FILE))));
            together.putAll(settings);
            named.put(name, new Settings(together));
        });
        requireDifferentTables(named);
        return new OutboxSettings(all, named);
    }

    private static Given implied(Object value) {
        return new Given(value, "the outbox's name", Given.Layer.FILE);
    }

    /** {@code dead-orders.jsonl} for {@code dead.jsonl}. */
    private static Path fileOf(String outbox, Path general) {
        String name = String.valueOf(general.getFileName());
        int dot = name.lastIndexOf('.') < 0 ? name.length() : name.lastIndexOf('.');
        return general.resolveSibling(name.substring(0, dot) + "-" + outbox + name.substring(dot));
    }

    /** Two names for one outbox: somebody has forgotten to set the table or the database of one. */
    private static void requireDifferentTables(Map<String, Settings> named) {
        Map<String, String> names = new HashMap<>();
        named.forEach((name, settings) -> {
            OutboxTable table = settings.get(KnownSettings.OUTBOX_TABLE);
            String place = settings.find(KnownSettings.DB_URL).orElse("") + " " + table;
            String other = names.put(place, name);
            if (other != null) {
                throw new UsageException(
                        "outboxes." + other + " and outboxes." + name + " are the same: both have the table "
                                + table + " in the same database. Set " + KnownSettings.OUTBOX_TABLE.key() + " or "
                                + KnownSettings.DB_URL.key() + " of one.");
            }
        });
    }

    /**
     * The settings of the outbox with this name.
     *
     * @param name as the user gave it; null if none was given
     * @param needed whether several outboxes are too many if none was chosen
     */
    Settings one(@Nullable String name, boolean needed) {
        if (name != null) {
            return require(name);
        }
        if (named.isEmpty() || !needed) {
            return general;
        }
        if (named.size() > 1) {
            throw new UsageException(
                    "There are the outboxes " + String.join(", ", named.keySet()) + ": choose one with " + FLAG + ".");
        }
        return named.values().iterator().next();
    }

    /** Only the outbox with this name, if one was given. */
    OutboxSettings only(@Nullable String name) {
        return name == null ? this : new OutboxSettings(general, Map.of(name, require(name)));
    }

    private Settings require(String name) {
        Settings settings = named.get(name);
        if (settings == null) {
            throw new UsageException(FLAG + " is [" + name + "], but "
                    + (named.isEmpty()
                            ? "the configuration file has no outboxes."
                            : "there are " + String.join(", ", named.keySet()) + "."));
        }
        return settings;
    }
}
