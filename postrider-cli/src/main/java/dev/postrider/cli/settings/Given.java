package dev.postrider.cli.settings;

import dev.postrider.settings.Option;

/**
 * A value somebody gave.
 *
 * @param origin where, for messages
 */
public record Given(Object value, String origin, Layer layer) {

    /** A later one beats an earlier one. */
    public enum Layer {
        FILE,
        ENVIRONMENT,
        FLAG,
        /** For one outbox, in the file. */
        OUTBOX_FILE,
        /** For one outbox, in the environment. */
        OUTBOX_ENVIRONMENT
    }

    public static Given parse(Option<?> option, String text, String origin, Layer layer) {
        if (option.format() == CliFormats.JDBC_URL) {
            CliFormats.requireKnownDatabase(text, origin);
        }
        return new Given(option.format().parse(text, origin), origin, layer);
    }
}
