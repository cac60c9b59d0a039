package dev.postrider.cli.command;

import picocli.CommandLine.Option;

/** What every command understands. */
public final class CommonOptions {
    public static final String VERBOSE = "--verbose";

    @Option(
            names = "--json",
            description = "Print the result as one JSON object on standard output; all else goes to standard error.")
    private boolean json;

    @Option(
            names = {"-v", VERBOSE},
            description = "Log at DEBUG, and print stack traces of errors.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    private boolean help;

    public boolean json() {
        return json;
    }

    public boolean verbose() {
        return verbose;
    }
}
