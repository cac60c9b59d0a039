package dev.postrider.cli.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who takes part in the demonstration, and whether they are alive. Any thread. */
final class Participants {
    enum State {
        UP(""),
        KILLED("killed"),
        PAUSED("paused"),
        STOPPED("stopped");

        private final String word;

        State(String word) {
            this.word = word;
        }

        String word() {
            return word;
        }
    }

    /**
     * @param since {@link System#nanoTime}
     */
    record Participant(String name, State state, long since) {}

    private final Map<String, Participant> byName = new LinkedHashMap<>();

    synchronized void is(String name, State state) {
        byName.put(name, new Participant(name, state, System.nanoTime()));
    }

    /** In the order in which they came. */
    synchronized List<Participant> all() {
        return new ArrayList<>(byName.values());
    }
}
