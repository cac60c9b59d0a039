package dev.postrider.cli;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.StopSignal;
import dev.postrider.cli.command.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Somebody who types commands, and answers questions if there is a terminal. */
public final class Operator {
    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> questions = new ArrayList<>();
    private @Nullable String answer;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    public Operator(Path directory) {
        this.directory = directory;
    }

    public Operator variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Has a terminal from now on, and answers every question so. */
    public Operator answering(String text) {
        answer = text;
        return this;
    }

    public int run(String... args) {
        out.reset();
        err.reset();
        questions.clear();
        return PostriderCommand.run(
                new CommandEnvironment(
                        directory,
                        environment,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new StopSignal(),
                        terminal()),
                args);
    }

    private Terminal terminal() {
        return new Terminal() {
            @Override
            public boolean isThere() {
                return answer != null;
            }

            @Override
            public String ask(String question) {
                questions.add(question);
                return String.valueOf(answer);
            }
        };
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public JsonNode json() {
        return JsonMapper.shared().readTree(out());
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    public List<String> questions() {
        return List.copyOf(questions);
    }
}
