package dev.postrider.cli;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Groups of commands do the obvious when no command of theirs is named: they look, and change nothing. */
final class Shorthand {
    private static final Map<String, List<String>> MEANT =
            Map.of("dead", List.of("list"), "topics", List.of("apply", "--dry-run"));

    private static final Set<String> HELP = Set.of("-h", "--help");

    private Shorthand() {}

    static String[] expand(String... args) {
        boolean named = args.length > 1 && !args[1].startsWith("-");
        if (args.length == 0
                || named
                || !MEANT.containsKey(args[0])
                || Stream.of(args).anyMatch(HELP::contains)) {
            return args;
        }
        return Stream.of(
                        Stream.of(args[0]),
                        MEANT.get(args[0]).stream(),
                        Stream.of(args).skip(1))
                .flatMap(part -> part)
                .toArray(String[]::new);
    }
}
