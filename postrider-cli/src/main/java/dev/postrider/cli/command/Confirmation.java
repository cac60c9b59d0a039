package dev.postrider.cli.command;

import dev.postrider.cli.settings.UsageException;
import java.util.Locale;
import picocli.CommandLine.Option;

/** Nothing is changed before somebody has said yes to what would be. */
public final class Confirmation {
    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Say what would be done, and do nothing.")
    private boolean dryRun;

    public boolean dryRun() {
        return dryRun;
    }

    /** To be called before anything else, so that nobody waits in vain. */
    public void requireThatItCanBeGiven(CommandEnvironment environment) {
        if (!yes && !dryRun && !environment.terminal().isThere()) {
            throw new UsageException("There is no terminal to ask for confirmation: pass --yes to go ahead, or"
                    + " --dry-run to see what would be done.");
        }
    }

    /**
     * @param question ends with a question mark
     */
    public boolean isGiven(CommandEnvironment environment, String question) {
        if (yes) {
            return true;
        }
        String answer = environment.terminal().ask(question + " [y/N] ");
        return answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
    }
}
