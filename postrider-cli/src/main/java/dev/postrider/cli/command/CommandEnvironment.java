package dev.postrider.cli.command;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a command finds around it, so that tests can put something else there.
 *
 * @param directory the current directory
 * @param variables of the environment
 * @param out for results and nothing else
 * @param err for everything else
 * @param stop whether the user wants the command to end
 * @param terminal where questions can be asked
 */
public record CommandEnvironment(
        Path directory,
        Map<String, String> variables,
        PrintStream out,
        PrintStream err,
        StopSignal stop,
        Terminal terminal) {

    /** With nobody to ask. */
    public CommandEnvironment(
            Path directory, Map<String, String> variables, PrintStream out, PrintStream err, StopSignal stop) {
        this(directory, variables, out, err, stop, Terminal.none());
    }

    /** For results: on a terminal only. */
    public Colours colours() {
        return terminal.showsOutput() ? Colours.onTerminal(variables) : Colours.none();
    }

    /** Prints one JSON object as the result. */
    public void printJson(Map<String, ?> object) {
        JsonMapper json =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        // In UTF-8, as JSON is, whatever the terminal speaks.
        out.writeBytes(json.writeValueAsBytes(object));
        out.println();
        out.flush();
    }
}
