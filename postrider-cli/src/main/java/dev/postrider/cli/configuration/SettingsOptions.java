package dev.postrider.cli.configuration;

import dev.postrider.cli.settings.Settings;
import dev.postrider.settings.Option;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The part of the table a command takes, as its flags and in its help. */
public final class SettingsOptions {
    private final List<Option<?>> options;
    private final Map<Option<?>, OptionSpec> flags = new LinkedHashMap<>();

    private final OptionSpec config = OptionSpec.builder("--config")
            .paramLabel("<file>")
            .type(Path.class)
            .description("Settings as YAML. Default: postrider.yml in the current directory, if there is one.")
            .build();

    private final OptionSpec outbox = OptionSpec.builder(OutboxSettings.FLAG)
            .paramLabel("<name>")
            .type(String.class)
            .description("One of the outboxes that the file names. Not needed if there is only one.")
            .build();

    /** Whether the command works on an outbox. */
    private final boolean ofOutbox;

    /**
     * @param paths keys or groups of keys
     */
    public SettingsOptions(String... paths) {
        this.options = KnownSettings.within(paths);
        this.ofOutbox = options.contains(KnownSettings.OUTBOX_TABLE);
        for (Option<?> option : options) {
            if (option.flag() != null) {
                flags.put(option, spec(option, option.flag()));
            }
        }
    }

    /** Values stay text here, so that every place they can come from is checked by the same rules. */
    private static OptionSpec spec(Option<?> option, String flag) {
        return OptionSpec.builder(flag)
                .paramLabel(option.format().label())
                .type(String.class)
                .description(escaped(option.description() + defaultText(option, " Default: ", ".")))
                .build();
    }

    /** Gives the command {@code --config}, the flags of its settings, and the way to the others. */
    public CommandLine addTo(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        spec.addOption(config);
        spec.addOption(outbox);
        flags.values().forEach(spec::addOption);
        List<String> footer = new ArrayList<>(List.of(spec.usageMessage().footer()));
        footer.add("");
        footer.add("Settings can also stand in postrider.yml or in the environment: see 'postrider help settings'.");
        spec.usageMessage().footer(footer.toArray(String[]::new));
        return command;
    }

    private static String defaultText(Option<?> option, String before, String after) {
        String text = option.defaultText();
        return text.isEmpty() ? "" : before + text + after;
    }

    /** Percent signs mean something to picocli. */
    private static String escaped(String text) {
        return text.replace("%", "%%");
    }

    /** After the command line was parsed: everything that is set, wherever, for the outbox that was chosen. */
    public Settings read(Path directory, Map<String, String> environment) {
        return readAll(directory, environment).one(outbox.getValue(), ofOutbox);
    }

    /** For all outboxes, or for the one that was chosen. */
    public OutboxSettings readOutboxes(Path directory, Map<String, String> environment) {
        return readAll(directory, environment).only(outbox.getValue());
    }

    private OutboxSettings readAll(Path directory, Map<String, String> environment) {
        Map<Option<?>, String> given = new HashMap<>();
        flags.forEach((option, flag) -> {
            String text = flag.getValue();
            if (text != null) {
                given.put(option, text);
            }
        });
        return SettingsReader.read(directory, config.getValue(), environment, given);
    }
}
