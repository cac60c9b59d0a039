package dev.postrider.examples.check;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The systems, in the order of {@code docs/systems.md}, and how many requirements each has. */
enum ExampleSystem {
    TRANSFER("T", 14, "T13"),
    COMMERCE("C", 15),
    ORDERS("O", 7),
    DONATION("D", 12),
    LOGISTICS("L", 8);

    private final String letter;
    private final int requirements;
    /** Not shown yet. One that is shown nevertheless is an error, so that this does not stay. */
    private final Set<String> missing;

    ExampleSystem(String letter, int requirements, String... missing) {
        this.letter = letter;
        this.requirements = requirements;
        this.missing = Set.of(missing);
    }

    /** The folder below {@code examples}. A system without one is not in this build. */
    String folder() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    List<String> ids() {
        return IntStream.rangeClosed(1, requirements)
                .mapToObj(number -> letter + number)
                .toList();
    }

    boolean isMissing(String id) {
        return missing.contains(id);
    }
}
