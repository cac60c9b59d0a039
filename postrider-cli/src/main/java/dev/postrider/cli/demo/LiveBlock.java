package dev.postrider.cli.demo;

import dev.postrider.cli.command.Colours;
import dev.postrider.cli.demo.Participants.Participant;
import dev.postrider.cli.demo.Participants.State;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a terminal shows while the demonstration runs: bars, and who is alive. No line is longer than 79 characters. */
final class LiveBlock {
    private static final int COLUMNS = 79;
    private static final int WIDTH = 40;
    private static final String GAP = "   ";

    /** A backlog of this part of all events fills its bar. */
    private static final int BACKLOG_PART = 4;

    private final Colours colours;
    private final boolean unicode;

    LiveBlock(Colours colours, boolean unicode) {
        this.colours = colours;
        this.unicode = unicode;
    }

    static LiveBlock of(Map<String, String> variables) {
        String locale = variables.getOrDefault(
                "LC_ALL", variables.getOrDefault("LC_CTYPE", variables.getOrDefault("LANG", "")));
        return new LiveBlock(
                Colours.onTerminal(variables), locale.toUpperCase(Locale.ROOT).matches(".*UTF-?8.*"));
    }

    /**
     * @param expected events of this phase; 0 if nobody knows
     */
    record Counts(String title, long expected, long written, long delivered, long backlog, double perSecond) {}

    String text(Counts counts, List<Participant> participants, long now) {
        long full = Math.max(1, Math.max(counts.expected(), Math.max(counts.written(), counts.delivered())));
        long deep = Math.max(Math.max(1, full / BACKLOG_PART), counts.backlog());
        return String.join(
                        System.lineSeparator(),
                        "",
                        "  " + colours.bold(counts.title()),
                        bar("written", counts.written(), full, ""),
                        bar(
                                "delivered",
                                counts.delivered(),
                                full,
                                String.format(Locale.ROOT, "%,.0f/s", counts.perSecond())),
                        bar("backlog", counts.backlog(), deep, ""),
                        alive(participants, now))
                + System.lineSeparator();
    }

    /** As many in a line as fit. */
    private String alive(List<Participant> participants, long now) {
        StringBuilder text = new StringBuilder();
        int column = 0;
        for (Participant one : participants) {
            String words = words(one, now);
            if (column + words.length() + GAP.length() > COLUMNS) {
                text.append(System.lineSeparator());
                column = 0;
            }
            String gap = column == 0 ? "  " : GAP;
            text.append(gap).append(painted(one.state(), words));
            column += gap.length() + words.length();
        }
        return text.toString();
    }

    private String bar(String name, long number, long full, String remark) {
        int length = (int) Math.min(WIDTH, Math.round((double) number * WIDTH / full));
        if (length == 0 && number > 0) {
            length = 1;
        }
        String filled = (unicode ? "█" : "#").repeat(length);
        String rest = (unicode ? "░" : ".").repeat(WIDTH - length);
        String painted = name.equals("backlog") ? colours.warning(filled) : colours.good(filled);
        return String.format(Locale.ROOT, "  %-10s%s%s %,10d %10s", name, painted, colours.faint(rest), number, remark)
                .stripTrailing();
    }

    private String words(Participant one, long now) {
        return switch (one.state()) {
            case UP -> (unicode ? "●" : "*") + " " + one.name();
            case PAUSED -> (unicode ? "○" : "-") + " " + since(one, now);
            case KILLED, STOPPED -> (unicode ? "✗" : "x") + " " + since(one, now);
        };
    }

    private static String since(Participant one, long now) {
        return String.format(
                Locale.ROOT, "%s %s %.0f s ago", one.name(), one.state().word(), (now - one.since()) / 1e9);
    }

    private String painted(State state, String words) {
        return switch (state) {
            case UP -> colours.good(words);
            case PAUSED -> colours.warning(words);
            case KILLED, STOPPED -> colours.bad(words);
        };
    }
}
