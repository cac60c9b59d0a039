package dev.postrider.internal.alert;

import dev.postrider.alert.Alert;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Remembers which levels were told to be too high, and when: the same is not told again before the
 * cool-down is over, and the end of what was told is told as well. The memory can be written down, so
 * that another instance goes on where this one ended.
 */
final class LevelWatch {
    private final Duration coolDown;
    private final Map<String, Mark> marks = new TreeMap<>();

    LevelWatch(Duration coolDown) {
        this.coolDown = coolDown;
    }

    /** What was told of a rule last, and when it was told to be too high. */
    private record Mark(boolean raised, Instant raisedAt) {}

    /**
     * Goes on from a {@link #memory}. What cannot be read is forgotten, which costs at most a repetition.
     */
    static LevelWatch remembering(String memory, Duration coolDown) {
        LevelWatch watch = new LevelWatch(coolDown);
        for (String line : memory.split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words.length == 3) {
                try {
                    watch.marks.put(words[0], new Mark(words[1].equals("raised"), Instant.parse(words[2])));
                } catch (DateTimeException e) {
                    // Forgotten, as said.
                }
            }
        }
        return watch;
    }

    /** One line per rule: its name, {@code raised} or {@code over}, and when it was raised. */
    String memory() {
        return marks.entrySet().stream()
                .map(mark -> mark.getKey()
                        + (mark.getValue().raised() ? " raised " : " over ")
                        + mark.getValue().raisedAt())
                .collect(Collectors.joining("\n"));
    }

    Optional<Alert> look(String rule, boolean tooHigh, Instant now, Supplier<Alert> trouble, Supplier<Alert> recovery) {
        Mark mark = marks.get(rule);
        if (tooHigh && (mark == null || !isQuiet(mark, now))) {
            marks.put(rule, new Mark(true, now));
            return Optional.of(trouble.get());
        }
        if (!tooHigh && mark != null && mark.raised()) {
            marks.put(rule, new Mark(false, mark.raisedAt()));
            return Optional.of(recovery.get());
        }
        return Optional.empty();
    }

    /** A mark of the future, left by a clock that was set back, keeps nothing quiet. */
    private boolean isQuiet(Mark mark, Instant now) {
        return !now.isBefore(mark.raisedAt()) && now.isBefore(mark.raisedAt().plus(coolDown));
    }
}
