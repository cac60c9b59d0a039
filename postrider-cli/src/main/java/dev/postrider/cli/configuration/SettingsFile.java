package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
    private final Path file;
    private final Map<Option<?>, Given> found = new LinkedHashMap<>();

    private SettingsFile(Path file) {
        this.file = file;
    }

    /**
     * @param file as the user named it, relative to the directory
     */
    static Map<Option<?>, Given> read(Path directory, Path file) {
        SettingsFile reading = new SettingsFile(file);
        Path path = directory.resolve(file);
        try (JsonParser yaml = new YAMLFactory().createParser(ObjectReadContext.empty(), Files.readString(path))) {
            reading.document(yaml);
        } catch (IOException e) {
            throw new UsageException("The configuration file " + file + " cannot be read: "
                    + (Files.exists(path) ? "check its permissions and that it is text." : "there is no such file."));
        } catch (JacksonException e) {
            throw new UsageException("The configuration file " + file + " is not YAML: see line "
                    + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr() + ".");
        }
        return reading.found;
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
            if (value == JsonToken.START_OBJECT) {
                below(yaml, key);
            } else {
                Option<?> option = KnownSettings.byKey(key).orElseThrow(() -> notASetting(key));
                requireScalar(yaml, key, value);
                if (value != JsonToken.VALUE_NULL) {
                    put(option, Given.parse(option, yaml.getString(), origin(key), Given.Layer.FILE));
                }
            }
        }
    }

    private void below(JsonParser yaml, String key) {
        Optional<Option<?>> mapping =
                KnownSettings.byKey(key).filter(option -> option.format().type() == Map.class);
        if (mapping.isPresent()) {
            put(mapping.get(), new Given(pairs(yaml, key), origin(key), Given.Layer.FILE));
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
            requireScalar(yaml, key + "." + name, yaml.nextToken());
            pairs.put(name, yaml.getString());
        }
        return Map.copyOf(pairs);
    }

    private void put(Option<?> option, Given given) {
        if (found.putIfAbsent(option, given) != null) {
            throw new UsageException(given.origin() + " is set twice; keep one.");
        }
    }

    private void requireScalar(JsonParser yaml, String key, JsonToken value) {
        if (value == JsonToken.START_ARRAY || value == JsonToken.START_OBJECT) {
            throw refused(yaml, key + " must be a single value");
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
        return new UsageException("Unknown key " + origin(key) + Nearest.hint(key, KnownSettings.keysAndGroups()));
    }

    private String origin(String key) {
        return key + " in " + file;
    }
}
