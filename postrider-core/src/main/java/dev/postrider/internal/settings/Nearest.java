package dev.postrider.internal.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Guesses what somebody meant to type. */
public final class Nearest {
    private Nearest() {}

    /** The candidate that needs the fewest changes, if it needs few. */
    public static Optional<String> to(String typed, Collection<String> candidates) {
        int tolerance = Math.max(2, typed.length() / 4);
        return candidates.stream()
                .min(Comparator.comparingInt(candidate -> distance(typed, candidate)))
                .filter(candidate -> distance(typed, candidate) <= tolerance);
    }

    /** As the end of a message: empty, or {@code ; did you mean …?}. */
    public static String hint(String typed, Collection<String> candidates) {
        return to(typed, candidates).map(name -> "; did you mean " + name + "?").orElse(".");
    }

    /** Levenshtein's, blind to case and to the kind of separator. */
    private static int distance(String one, String other) {
        String a = normalised(one);
        String b = normalised(other);
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }

    private static String normalised(String text) {
        return text.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
