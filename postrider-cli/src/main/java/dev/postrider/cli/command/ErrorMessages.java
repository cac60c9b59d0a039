package dev.postrider.cli.command;

import dev.postrider.PostriderException;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.internal.settings.Nearest;
import dev.postrider.settings.InvalidOptionException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what went wrong into one line for the user and an exit status. Passwords never get through. */
public final class ErrorMessages {
    /** What a shell reports of a process that ended by Ctrl-C. */
    private static final int INTERRUPTED = 130;

    private final CommandEnvironment environment;

    public ErrorMessages(CommandEnvironment environment) {
        this.environment = environment;
    }

    /** The command line makes no sense. */
    public int about(ParameterException misuse) {
        CommandLine command = misuse.getCommandLine();
        CommandSpec spec = command.getCommandSpec();
        boolean nothingSaid = spec.parent() == null && misuse.getMessage().startsWith("Missing required subcommand");
        if (nothingSaid) {
            command.usage(environment.err());
        } else {
            String problem = misuse instanceof UnmatchedArgumentException unmatched
                    ? describe(unmatched, spec)
                    : sentence(String.valueOf(misuse.getMessage()));
            say(problem + " See '" + spec.qualifiedName() + " --help'.");
        }
        return ExitCode.USAGE;
    }

    private static String describe(UnmatchedArgumentException unmatched, CommandSpec spec) {
        String typed = unmatched.getUnmatched().get(0);
        if (typed.startsWith("-")) {
            String name = typed.replaceFirst("=.*", "");
            List<String> known =
                    spec.options().stream().map(OptionSpec::longestName).toList();
            String meant =
                    KnownSettings.flagMeantBy(name).filter(known::contains).orElse(null);
            return "Unknown option " + name
                    + (Nearest.to(name, known).isEmpty() && meant != null
                            ? "; did you mean " + meant + "?"
                            : Nearest.hint(name, known));
        }
        return spec.subcommands().isEmpty()
                ? "Unexpected argument [" + typed + "]; '" + spec.qualifiedName() + "' takes "
                        + (spec.positionalParameters().isEmpty() ? "options only." : "one argument.")
                : "Unknown command [" + typed + "]"
                        + Nearest.hint(typed, spec.subcommands().keySet());
    }

    /** A command ended with an error. */
    public int about(Exception error, boolean verbose) {
        if (environment.stop().isRequested()) {
            say("Stopped before the end.");
        } else {
            say(oneLine(error, verbose));
        }
        if (verbose) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            environment.err().print(Masking.mask(trace.toString()));
        }
        if (error instanceof UsageException || error instanceof InvalidOptionException) {
            return ExitCode.USAGE;
        }
        return environment.stop().isRequested() ? INTERRUPTED : ExitCode.SOFTWARE;
    }

    private static String oneLine(Exception error, boolean verbose) {
        boolean meantForUsers = error instanceof PostriderException || error instanceof UsageException;
        String message = meantForUsers ? String.valueOf(error.getMessage()) : "Unexpected error: " + error;
        Optional<String> first = message.lines().findFirst();
        boolean more = !meantForUsers || message.lines().count() > 1;
        return sentence(first.orElse("")) + (more && !verbose ? " (--verbose shows more.)" : "");
    }

    private static String sentence(String text) {
        return text.matches(".*[.?!:]") ? text : text + ".";
    }

    private void say(String line) {
        environment.err().println("postrider: " + Masking.mask(line));
    }
}
