package dev.postrider.tests.input;

import java.util.List;

/**
 * Something that makes no sense, and what is said about it.
 *
 * @param line to the letter; a number of a port, an id or a time that differs each time stands as {@code #}
 */
record BadInput(Kind kind, String name, Attempt attempt, int status, String line) {

    enum Kind {
        COMMAND_LINE,
        YAML,
        ENVIRONMENT,
        SQL,
        JAVA
    }

    /** Does it. */
    interface Attempt {
        Answer make(Playground playground) throws Exception;
    }

    /**
     * What came back.
     *
     * @param status of a command; 0 where there is none
     * @param lines said about it
     */
    record Answer(int status, List<String> lines) {}

    @Override
    public String toString() {
        return kind + ": " + name;
    }
}
