package dev.postrider.cli.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** Tells people how it goes: on a terminal in one line that is rewritten, elsewhere in a line now and then. */
final class Progress {
    private static final long TERMINAL_INTERVAL = 200_000_000L;
    private static final long PLAIN_INTERVAL = 2_000_000_000L;

    private final PrintStream err;
    private final boolean terminal;
    private final long begin = System.nanoTime();
    private long shownAt;
    private long shownReceived;
    private boolean lineOpen;

    Progress(PrintStream err, Map<String, String> environment) {
        this.err = err;
        this.terminal = System.console() != null && !"dumb".equals(environment.getOrDefault("TERM", "dumb"));
    }

    /** Something happened. */
    synchronized void tell(String text) {
        endLine();
        err.printf(Locale.ROOT, "%6.1f s  %s%n", seconds(System.nanoTime() - begin), text);
    }

    /** Things go on; shown if it is time. */
    synchronized void show(DeliveryProof proof) {
        long now = System.nanoTime();
        if (shownAt == 0) {
            shownAt = now;
        }
        if (now - shownAt < (terminal ? TERMINAL_INTERVAL : PLAIN_INTERVAL)) {
            return;
        }
        long received = proof.receivedEvents();
        String text = String.format(
                Locale.ROOT,
                "%6.1f s  written %,d  received %,d  backlog %,d  %,.0f events/s",
                seconds(now - begin),
                proof.committedEvents(),
                received,
                proof.missing(),
                (received - shownReceived) / seconds(now - shownAt));
        shownAt = now;
        shownReceived = received;
        if (terminal) {
            err.print("\r" + text + "\u001b[K");
            err.flush();
            lineOpen = true;
        } else {
            err.println(text);
        }
    }

    synchronized void endLine() {
        if (lineOpen) {
            err.println();
            lineOpen = false;
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
