package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.OptionNames;
import dev.postrider.cli.settings.TextFiles;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.http.HttpSettings;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Option;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.dataformat.yaml.YAMLFactory;

/**
 * Reads {@code postrider.yml}. Scalars are taken as they are written, so that a password of digits
 * keeps its leading zeros, and no message ever quotes a line of the file.
 */
final class SettingsFile {
    /** In upper case, as variables of the environment are: names in templates of messages are not. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[A-Z_][A-Z0-9_]*(:[^}]*)?}");

    static final String OUTBOXES = "outboxes";

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

    private final Path file;
    /** The path of what is read; empty, or that of an outbox. */
    private final String prefix;

    private final Given.Layer layer;
    private final Map<Option<?>, Given> found = new LinkedHashMap<>();
    private final Map<String, Map<Option<?>, Given>> outboxes = new LinkedHashMap<>();

    /**
     * What a file has.
     *
     * @param outboxes what is set for each of them, by name
     */
    record Content(Map<Option<?>, Given> general, Map<String, Map<Option<?>, Given>> outboxes) {}

    private SettingsFile(Path file, String prefix, Given.Layer layer) {
        this.file = file;
        this.prefix = prefix;
        this.layer = layer;
    }

    /**
     * @param file as the user named it, relative to the directory
     */
    static Content read(Path directory, Path file) {
        String text = TextFiles.read("configuration file", directory, file);
        SettingsFile reading = new SettingsFile(file, "", Given.Layer.FILE);
        try {
            // All of it, before anything is said about a key: what is not YAML has no keys.
            try (JsonParser yaml = parser(text)) {
                while (yaml.nextToken() != null) {
                    // Only to see that it can be read.
                }
            }
            try (JsonParser yaml = parser(text)) {
                reading.document(yaml);
            }
        } catch (JacksonException e) {
            throw new UsageException("The configuration file " + file + " is not YAML: " + problem(text, e));
        }
        return new Content(reading.found, reading.outboxes);
    }

    private static JsonParser parser(String text) {
        return new YAMLFactory().createParser(ObjectReadContext.empty(), text);
    }

    /** The parser names the line where it notices; of a tab that is often a later one. */
    private static String problem(String text, JacksonException e) {
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String indent =
                    line.substring(0, line.length() - line.stripLeading().length());
            if (indent.indexOf('\t') >= 0) {
                return "line " + (i + 1) + " is indented with a tab; use blanks.";
            }
        }
        return "see line " + e.getLocation().getLineNr() + ", column "
                + e.getLocation().getColumnNr() + ".";
    }

    private void document(JsonParser yaml) {
        JsonToken first = yaml.nextToken();
        if (first == null || first == JsonToken.VALUE_NULL) {
            return;
        }
        if (first != JsonToken.START_OBJECT) {
            throw refused(yaml, "it must consist of keys and values, such as table: outbox");
        }
        group(yaml, "");
        if (yaml.nextToken() != null) {
            throw refused(yaml, "it must be one document");
        }
    }

    private void group(JsonParser yaml, String path) {
        while (yaml.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = path.isEmpty() ? yaml.currentName() : path + "." + yaml.currentName();
            JsonToken value = yaml.nextToken();
            if (prefix.isEmpty() && key.equals(OUTBOXES)) {
                outboxes(yaml, value);
            } else if (value == JsonToken.START_OBJECT) {
                below(yaml, key);
            } else {
                Option<?> option = KnownSettings.byKey(key).orElseThrow(() -> notASetting(key));
                String text = value == JsonToken.START_ARRAY && takesSeveral(option)
                        ? elements(yaml, key)
                        : scalar(yaml, key, value);
                if (!text.isEmpty() || value == JsonToken.VALUE_STRING) {
                    requireNoPlaceholder(option, key, text);
                    put(option, Given.parse(option, text, origin(key), layer));
                }
            }
        }
    }

    /** Each has its own settings below its name. */
    private void outboxes(JsonParser yaml, JsonToken value) {
        if (value != JsonToken.START_OBJECT) {
            throw refused(yaml, "outboxes must consist of names, each with its settings below it");
        }
        while (yaml.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = yaml.currentName();
            if (!NAME.matcher(name).matches()) {
                throw refused(
                        yaml,
                        "[" + name + "] is no name of an outbox; use up to 40 lower-case letters, digits and hyphens");
            }
            SettingsFile own = new SettingsFile(file, OUTBOXES + "." + name + ".", Given.Layer.OUTBOX_FILE);
            if (yaml.nextToken() != JsonToken.START_OBJECT) {
                throw refused(yaml, OUTBOXES + "." + name + " needs settings of its own, such as table: " + name);
            }
            own.group(yaml, "");
            outboxes.put(name, own.found);
        }
        if (outboxes.isEmpty()) {
            throw refused(yaml, "outboxes names none");
        }
    }

    private void below(JsonParser yaml, String key) {
        Optional<Option<?>> mapping =
                KnownSettings.byKey(key).filter(option -> option.format().type() == Map.class);
        if (mapping.isPresent()) {
            put(mapping.get(), new Given(pairs(yaml, key), origin(key), layer));
        } else if (KnownSettings.within(key).stream()
                .anyMatch(option -> !option.key().equals(key))) {
            group(yaml, key);
        } else if (KnownSettings.byKey(key).isPresent()) {
            throw refused(yaml, key + " must be a single value");
        } else {
            throw unknown(key);
        }
    }

    private Map<String, String> pairs(JsonParser yaml, String key) {
        Map<String, String> pairs = new TreeMap<>();
        while (yaml.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = yaml.currentName();
            pairs.put(name, scalar(yaml, key + "." + name, yaml.nextToken()));
        }
        return Map.copyOf(pairs);
    }

    private void put(Option<?> option, Given given) {
        if (!prefix.isEmpty() && HttpSettings.OPTIONS.options().contains(option)) {
            throw new UsageException(
                    given.origin() + " is for the whole process: set " + option.key() + " outside of outboxes.");
        }
        if (found.putIfAbsent(option, given) != null) {
            throw new UsageException(given.origin() + " is set twice; keep one.");
        }
    }

    /** Empty for a key without a value. */
    private String scalar(JsonParser yaml, String key, JsonToken value) {
        if (value == JsonToken.START_ARRAY || value == JsonToken.START_OBJECT) {
            throw refused(yaml, key + " must be a single value");
        }
        return value == JsonToken.VALUE_NULL ? "" : yaml.getString();
    }

    private static boolean takesSeveral(Option<?> option) {
        return option.format().label().endsWith(",..>");
    }

    /** As they would be written in one line. */
    private String elements(JsonParser yaml, String key) {
        List<String> elements = new ArrayList<>();
        for (JsonToken next = yaml.nextToken(); next != JsonToken.END_ARRAY; next = yaml.nextToken()) {
            elements.add(scalar(yaml, "each element of " + key, next));
        }
        return String.join(",", elements);
    }

    /** Somebody expects the variable's value here, and would get a database of that name. */
    private void requireNoPlaceholder(Option<?> option, String key, String text) {
        Matcher placeholder = PLACEHOLDER.matcher(text);
        if (placeholder.find()) {
            throw new UsageException(origin(key) + " refers to " + placeholder.group()
                    + ", but variables are not replaced in this file. Set "
                    + OptionNames.variable(prefix + option.key())
                    + " in the environment instead.");
        }
    }

    private UsageException refused(JsonParser yaml, String rule) {
        return new UsageException("The configuration file " + file + " is not understood at line "
                + yaml.currentTokenLocation().getLineNr() + ": " + rule + ".");
    }

    private UsageException notASetting(String key) {
        List<String> below =
                KnownSettings.within(key).stream().<String>map(Option::key).toList();
        return below.isEmpty()
                ? unknown(key)
                : new UsageException(origin(key) + " must be a group of keys: " + String.join(", ", below) + ".");
    }

    private UsageException unknown(String key) {
        Set<String> known = new TreeSet<>(KnownSettings.keysAndGroups());
        if (prefix.isEmpty()) {
            known.add(OUTBOXES);
        }
        return new UsageException("Unknown key " + origin(key) + Nearest.hint(key, known));
    }

    private String origin(String key) {
        return prefix + key + " in " + file;
    }
}
