package dev.postrider.devservices;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a database server whose owner has died without a word, as a JVM does on SIGKILL.
 *
 * <p>It is a shell that reads from a pipe which only the owner's JVM holds open. The operating system closes the pipe
 * when that JVM ends, in whichever way; a JVM that merely stands still keeps it open. The watchdog is there before the
 * server is, so there is no moment in which the server has nobody.
 *
 * <p>Windows has no such shell: there, a killed JVM leaves its database server running.
 */
final class Watchdog {

    // The owner may die at any moment:
    // - while initdb works: it ends by itself, since nobody reads what it says, and frees its shared memory if it still
    //   finds its files;
    // - when the server is just about to start: it finds no directory and gives up, but may have written to the
    //   directory while that was being deleted. Hence the second attempt.
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            read -r word && exit 0
            directory=$1
            shift
            "$@"
            [ -z "$directory" ] && exit 0
            [ -e "$directory/data.unfinished" ] && sleep 2
            rm -rf "$directory"
            sleep 1
            rm -rf "$directory"
            """;

    private final @Nullable Process shell;

    private Watchdog(@Nullable Process shell) {
        this.shell = shell;
    }

    /**
     * @param stop the command that ends the server; does no harm if the server is not running
     * @param temporary the directory to delete afterwards, if any
     */
    static Watchdog watch(Command stop, Optional<Path> temporary) {
        if (Command.WINDOWS) {
            return new Watchdog(null);
        }
        List<String> words = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                SCRIPT,
                "postrider-watchdog",
                temporary.map(Path::toString).orElse("")));
        words.addAll(stop.words());
        try {
            // Not in the directory that it is going to delete.
            return new Watchdog(new Command(words, Path.of("/"), stop.variables())
                    .builder()
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new DevServicesException("no watchdog for a database server could be started: " + e.getMessage(), e);
        }
    }

    /** The server has been ended in an orderly way, and nothing is left to do. */
    void dismiss() {
        if (shell == null) {
            return;
        }
        try (var pipe = shell.getOutputStream()) {
            pipe.write("dismissed\n".getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Somebody ended it before us.
        }
        try {
            shell.waitFor(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
