package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.OptionNames;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Every setting in words, made from the options. */
public final class SettingsReference {
    private static final int WIDTH = 110;

    private static final String INDENT = " ".repeat(6);

    private static final String INTRODUCTION = """
            A setting can stand in postrider.yml, in the environment, or on the command line if it has a flag.
            The environment beats the file, and a flag beats both. What is set for one of several outboxes beats
            what is set for all. 'postrider config check' shows what is set, and where.

            A postrider.yml, where dots in keys mean nesting:
              db: {url: 'jdbc:postgresql://localhost:5432/app', user: app, password-file: /run/secrets/app-db}
              kafka:
                bootstrap-servers: localhost:9092
                routes: {product.viewed: product-view-events}
                properties: {linger.ms: 5}
              relay: {batch-size: 500, poll-interval: 1s, retry: {base: 2s, cap: 10m, max-retries: 5}}
              retention: {published: 7d, at: '02:00', zone: Europe/Zurich}
              alerts: {pending: 10000, slack-url: 'https://hooks.slack.example/services/…'}

            Several outboxes in one process; whatever can be set can be set for each of them:
              kafka: localhost:9092
              outboxes:
                orders: {db: {url: 'jdbc:postgresql://orders-db/app', password-file: /run/secrets/orders}}
                billing: {db: {url: 'jdbc:postgresql://billing-db/app', password-file: /run/secrets/billing}}
            """;

    private SettingsReference() {}

    public static String all() {
        StringBuilder text = new StringBuilder(INTRODUCTION.replace("\n", System.lineSeparator()));
        for (OptionGroup group : KnownSettings.groups()) {
            line(text, "");
            line(text, group.title());
            group.options().forEach(option -> describe(text, option));
        }
        return text.toString();
    }

    /** The setting with this key, or those below it; empty if there is none. */
    public static Optional<String> within(String path) {
        List<Option<?>> options = KnownSettings.within(path);
        StringBuilder text = new StringBuilder();
        options.forEach(option -> describe(text, option));
        return options.isEmpty() ? Optional.empty() : Optional.of(text.toString());
    }

    /** What {@link #within} knows. */
    public static Set<String> paths() {
        return KnownSettings.keysAndGroups();
    }

    private static void describe(StringBuilder text, Option<?> option) {
        String flag = option.flag() == null ? "" : "  " + option.flag();
        line(text, "  %-27s  %s%s".formatted(option.key(), OptionNames.variable(option), flag));
        wrap(text, option.description());
        wrap(
                text,
                "Allowed: " + option.format().allowed() + "."
                        + (option.defaultText().isEmpty() ? "" : " Default: " + option.defaultText() + "."));
    }

    private static void wrap(StringBuilder text, String sentence) {
        StringBuilder line = new StringBuilder(INDENT);
        for (String word : sentence.split(" ")) {
            if (line.length() + 1 + word.length() > WIDTH) {
                line(text, line.toString());
                line = new StringBuilder(INDENT);
            }
            line.append(line.length() > INDENT.length() ? " " : "").append(word);
        }
        line(text, line.toString());
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append(System.lineSeparator());
    }
}
