package dev.postrider.tests.input;

import dev.postrider.cli.Operator;
import dev.postrider.tests.input.BadInput.Answer;
import dev.postrider.tests.input.BadInput.Attempt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Commands as attempts: what they say on standard error; on standard output there must be nothing. */
final class Commands {
    private Commands() {}

    static Attempt run(String... args) {
        return playground -> run(playground.operator(), args);
    }

    static Attempt with(Map<String, String> variables, String... args) {
        return playground -> {
            Operator operator = playground.operator();
            variables.forEach(operator::variable);
            return run(operator, args);
        };
    }

    static Attempt withFile(String text, String... args) {
        return playground -> {
            Path file = playground.directory().resolve("postrider.yml");
            Files.writeString(file, text);
            try {
                return run(playground.operator(), args);
            } finally {
                Files.delete(file);
            }
        };
    }

    private static Answer run(Operator operator, String... args) {
        int status = operator.run(args);
        List<String> lines = Stream.concat(
                        operator.err().lines(), operator.out().lines().map(line -> "OUTPUT " + line))
                .toList();
        return new Answer(status, lines);
    }
}
