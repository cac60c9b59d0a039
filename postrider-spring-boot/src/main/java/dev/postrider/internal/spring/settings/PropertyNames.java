package dev.postrider.internal.spring.settings;

import dev.postrider.RelayOptions;
import dev.postrider.settings.Option;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What options are called in an application: {@code relay.batch-size} is {@code postrider.relay.batch-size}. */
final class PropertyNames {
    static final String PREFIX = "postrider.";

    private static final Pattern KEYS = Pattern.compile(RelayOptions.all().stream()
            .map(option -> Pattern.quote(option.key()))
            .collect(Collectors.joining("|", "(?<![\\w.-])(?:", ")(?![\\w-])")));

    private PropertyNames() {}

    static String of(Option<?> option) {
        return PREFIX + option.key();
    }

    /** The same text with every option in it called as its property is. */
    static String in(String text) {
        return in(text, PREFIX);
    }

    /**
     * @param prefix of an outbox, with the dot at its end
     */
    static String in(String text, String prefix) {
        return KEYS.matcher(text).replaceAll(Matcher.quoteReplacement(prefix) + "$0");
    }
}
