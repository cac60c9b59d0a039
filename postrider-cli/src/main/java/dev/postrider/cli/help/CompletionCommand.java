package dev.postrider.cli.help;

import dev.postrider.cli.command.CommandEnvironment;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A script by which a shell completes commands and options. */
@Command(
        name = CompletionCommand.NAME,
        description = "Prints a script by which bash and zsh complete commands and options.",
        footer = {
            "",
            "Examples:",
            "  source <(postrider completion)                # in this shell; for good, in ~/.bashrc or ~/.zshrc",
            "  postrider completion > /etc/bash_completion.d/postrider",
            "",
            "The shell has to find the command as 'postrider': put it, or a symbolic link to it, on the path."
        })
public final class CompletionCommand implements Callable<Integer> {
    public static final String NAME = "completion";

    private final CommandEnvironment environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    private CompletionCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    public static CommandLine create(CommandEnvironment environment) {
        return new CommandLine(new CompletionCommand(environment));
    }

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        environment.out().print(AutoComplete.bash(root.name(), root.commandLine()));
        return CommandLine.ExitCode.OK;
    }
}
