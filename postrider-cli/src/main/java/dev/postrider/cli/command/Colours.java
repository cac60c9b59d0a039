package dev.postrider.cli.command;

import java.util.Map;

/** Colours for people who look at a terminal; all others get plain text, and so does whoever sets {@code NO_COLOR}. */
public final class Colours {
    private static final Colours NONE = new Colours(false);

    private final boolean on;

    private Colours(boolean on) {
        this.on = on;
    }

    public static Colours none() {
        return NONE;
    }

    /** On a terminal, unless the user wants none: see no-color.org. */
    public static Colours onTerminal(Map<String, String> variables) {
        boolean unwanted = !variables.getOrDefault("NO_COLOR", "").isEmpty()
                || "dumb".equals(variables.getOrDefault("TERM", "dumb"));
        return unwanted ? NONE : new Colours(true);
    }

    public boolean areOn() {
        return on;
    }

    public String good(String text) {
        return in("32", text);
    }

    public String warning(String text) {
        return in("33", text);
    }

    public String bad(String text) {
        return in("1;31", text);
    }

    public String bold(String text) {
        return in("1", text);
    }

    public String faint(String text) {
        return in("2", text);
    }

    private String in(String code, String text) {
        return on && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
