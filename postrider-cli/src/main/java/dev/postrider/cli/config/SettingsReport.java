package dev.postrider.cli.config;

import dev.postrider.cli.command.TextTable;
import dev.postrider.cli.command.Words;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Given;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Option;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is set and where, in words and in JSON, without secrets. */
final class SettingsReport {
    private static final String DEFAULT = "default";

    private SettingsReport() {}

    /** A value as it is shown; null if there is none. */
    private record Shown(@Nullable String value, @Nullable String from) {}

    static String text(Settings settings, boolean withDefaults) {
        TextTable table = new TextTable("SETTING", "VALUE", "FROM");
        boolean empty = true;
        for (Option<?> option : KnownSettings.all()) {
            Shown shown = show(option, settings);
            if (shown.value() != null && (withDefaults || !DEFAULT.equals(shown.from()))) {
                table.row(option.key(), Words.plain(shown.value()), String.valueOf(shown.from()));
                empty = false;
            }
        }
        return empty ? "Nothing is set." + System.lineSeparator() : table.toString();
    }

    static Map<String, Object> json(Settings settings) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (Option<?> option : KnownSettings.all()) {
            Shown shown = show(option, settings);
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("value", shown.value());
            one.put("from", shown.from());
            object.put(option.key(), one);
        }
        return object;
    }

    private static <T> Shown show(Option<T> option, Settings settings) {
        Optional<Given> given = settings.origin(option);
        if (given.isPresent()) {
            T value = settings.get(option);
            return new Shown(print(option, value), place(option, given.get()));
        }
        T standard = option.defaultValue();
        return standard == null || option.defaultText().isEmpty()
                ? new Shown(null, null)
                : new Shown(option.defaultText(), DEFAULT);
    }

    /** Of secret pairs, such as headers, the names are shown. A URL may contain a password. */
    private static <T> String print(Option<T> option, T value) {
        String text = option.format().print(value);
        if (option.format().isSecret() && value instanceof Map<?, ?> pairs) {
            return pairs.keySet().stream().map(String::valueOf).collect(Collectors.toCollection(TreeSet::new)).stream()
                    .map(name -> name + "=" + text)
                    .collect(Collectors.joining(","));
        }
        return Masking.mask(text);
    }

    /** The key need not be repeated. */
    private static String place(Option<?> option, Given given) {
        String same = option.key() + " in ";
        return given.origin().startsWith(same) ? given.origin().substring(same.length()) : given.origin();
    }
}
