package dev.postrider.cli.settings;

import dev.postrider.settings.Option;
import java.util.Locale;

/** What an option is called beside its key. */
public final class OptionNames {
    private static final String VARIABLE_PREFIX = "POSTRIDER_";

    private OptionNames() {}

    /** In the environment. */
    public static String variable(Option<?> option) {
        return variable(option.key());
    }

    public static String variable(String key) {
        return VARIABLE_PREFIX + key.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }

    /** All ways to set it, for messages. */
    public static String ways(Option<?> option) {
        String others = variable(option) + " or the key in postrider.yml";
        return option.flag() == null ? others : option.flag() + ", " + others;
    }

    /** Whether its key is the given path or lies below it. */
    public static boolean isWithin(Option<?> option, String path) {
        return option.key().equals(path) || option.key().startsWith(path + ".");
    }
}
