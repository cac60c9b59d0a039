package dev.postrider.cli.help;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.configuration.SettingsReference;
import dev.postrider.internal.settings.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The help of a command, or the list of all settings. */
@Command(
        name = HelpCommand.NAME,
        description = "Shows the help of a command, or all settings.",
        footer = {
            "",
            "Examples:",
            "  postrider help relay",
            "  postrider help dead retry",
            "  postrider help settings",
            "  postrider help settings relay.retry"
        })
public final class HelpCommand implements Callable<Integer> {
    public static final String NAME = "help";

    private static final String SETTINGS = "settings";

    private final CommandEnvironment environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "COMMAND",
            arity = "0..*",
            description = "A command, or 'settings', also with the beginning of the keys to show.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private HelpCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new HelpCommand(environment));
    }

    @Override
    public Integer call() {
        if (!words.isEmpty() && words.get(0).equals(SETTINGS)) {
            settings(words.subList(1, words.size()));
        } else {
            environment.out().print(command().getUsageMessage());
        }
        return CommandLine.ExitCode.OK;
    }

    private void settings(List<String> keys) {
        if (keys.isEmpty()) {
            environment.out().print(SettingsReference.all());
            return;
        }
        for (String key : keys) {
            environment
                    .out()
                    .print(SettingsReference.within(key)
                            .orElseThrow(() -> new ParameterException(
                                    spec.commandLine(),
                                    "Unknown setting [" + key + "]" + Nearest.hint(key, SettingsReference.paths()))));
        }
    }

    private CommandLine command() {
        CommandLine found = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = found.getSubcommands().get(word);
            if (next == null) {
                Set<String> known = new TreeSet<>(found.getSubcommands().keySet());
                if (found.getParent() == null) {
                    known.add(SETTINGS);
                }
                throw new ParameterException(
                        spec.commandLine(), "Unknown command [" + word + "]" + Nearest.hint(word, known));
            }
            found = next;
        }
        return found;
    }
}
