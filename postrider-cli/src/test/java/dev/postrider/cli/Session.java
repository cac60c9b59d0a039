package dev.postrider.cli;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.StopSignal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A user at a terminal, in a directory of their own. */
public final class Session {
    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    public Session(Path directory) {
        this.directory = directory;
    }

    public Session variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public Session file(String name, String text) {
        try {
            Files.writeString(directory.resolve(name), text);
            return this;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public int run(String... args) {
        out.reset();
        err.reset();
        return PostriderCommand.run(
                new CommandEnvironment(
                        directory,
                        environment,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new StopSignal()),
                args);
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    public List<String> errLines() {
        return err().lines().toList();
    }
}
