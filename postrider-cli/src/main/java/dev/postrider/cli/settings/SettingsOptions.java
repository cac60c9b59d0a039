package dev.postrider.cli.settings;

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
    private final List<Setting<?>> settings;
    private final Map<Setting<?>, OptionSpec> flags = new LinkedHashMap<>();

    private final OptionSpec config = OptionSpec.builder("--config")
            .paramLabel("<file>")
            .type(Path.class)
            .description("Settings as YAML. Default: postrider.yml in the current directory, if there is one.")
            .build();

    /**
     * @param paths keys or groups of keys
     */
    public SettingsOptions(String... paths) {
        this.settings = KnownSettings.within(paths);
        for (Setting<?> setting : settings) {
            if (setting.flag() != null) {
                flags.put(setting, option(setting, setting.flag()));
            }
        }
    }

    /** Values stay text here, so that every place they can come from is checked by the same rules. */
    private static OptionSpec option(Setting<?> setting, String flag) {
        return OptionSpec.builder(flag)
                .paramLabel(setting.format().label())
                .type(String.class)
                .description(escaped(setting.description() + "." + standard(setting, " Default: ", ".")))
                .build();
    }

    /** Gives the command {@code --config}, the flags of its settings, and the reference in its help. */
    public CommandLine addTo(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        spec.addOption(config);
        flags.values().forEach(spec::addOption);
        List<String> footer = new ArrayList<>(List.of(spec.usageMessage().footer()));
        footer.addAll(reference());
        spec.usageMessage().footer(footer.toArray(String[]::new));
        return command;
    }

    private List<String> reference() {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Settings by key in postrider.yml (dots mean nesting) and by variable in the environment.");
        lines.add("The environment beats the file, a flag beats both.");
        for (Setting<?> setting : settings) {
            lines.add("");
            lines.add("  %-27s  %-37s%s"
                    .formatted(setting.key(), setting.variable(), standard(setting, "  default: ", ""))
                    .stripTrailing());
            lines.add("      " + setting.description() + ".");
            lines.add("      Allowed: " + setting.format().allowed() + ".");
        }
        return lines.stream().map(SettingsOptions::escaped).toList();
    }

    private static String standard(Setting<?> setting, String before, String after) {
        String text = setting.standardText();
        return text.isEmpty() ? "" : before + text + after;
    }

    /** Percent signs mean something to picocli. */
    private static String escaped(String text) {
        return text.replace("%", "%%");
    }

    /** After the command line was parsed: everything that is set, wherever. */
    public Settings read(Path directory, Map<String, String> environment) {
        Map<Setting<?>, String> given = new HashMap<>();
        flags.forEach((setting, option) -> {
            String text = option.getValue();
            if (text != null) {
                given.put(setting, text);
            }
        });
        return Settings.read(directory, config.getValue(), environment, given);
    }
}
