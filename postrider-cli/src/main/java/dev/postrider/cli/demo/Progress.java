package dev.postrider.cli.demo;

import dev.postrider.cli.command.CommandEnvironment;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/**
 * Tells people how it goes: on a terminal by one block at the end of the screen that is drawn again and again, with
 * what happened above it; elsewhere by a line now and then. Any thread.
 */
final class Progress implements AutoCloseable {
    private static final long BLOCK_INTERVAL = 150_000_000L;
    private static final long LINE_INTERVAL = 5_000_000_000L;

    /** Over this time a rate is counted. */
    private static final long RATE_INTERVAL = 1_000_000_000L;

    private final PrintStream err;
    private final Participants participants;
    private final boolean live;
    private final LiveBlock block;
    private final long begin = System.nanoTime();
    private Phase phase = new Phase("", 0, 0, 0);
    private long shownAt = begin;
    private long ratedAt = begin;
    private long ratedReceived;
    private double rate;
    private int blockLines;

    /**
     * @param expected events; 0 if nobody knows
     * @param committed before it
     * @param received before it
     */
    private record Phase(String title, long expected, long committed, long received) {}

    private Progress(PrintStream err, Participants participants, boolean live, LiveBlock block) {
        this.err = err;
        this.participants = participants;
        this.live = live;
        this.block = block;
    }

    static Progress of(CommandEnvironment environment, Participants participants) {
        Map<String, String> variables = environment.variables();
        boolean live = environment.terminal().showsErrors() && !"dumb".equals(variables.getOrDefault("TERM", "dumb"));
        return new Progress(environment.err(), participants, live, LiveBlock.of(variables));
    }

    /** Something happened. */
    synchronized void tell(String text) {
        erase();
        err.printf(Locale.ROOT, "%6.1f s  %s%n", seconds(System.nanoTime() - begin), text);
    }

    /** Something else is done from now on. */
    synchronized void phase(String title, long expected) {
        tell(title);
        phase = new Phase(title, expected, -1, -1);
    }

    /** Things go on; shown if it is time. */
    synchronized void show(DeliveryProof proof) {
        long now = System.nanoTime();
        if (phase.committed() < 0) {
            phase = new Phase(phase.title(), phase.expected(), proof.committedEvents(), proof.receivedEvents());
        }
        if (now - ratedAt >= (live ? RATE_INTERVAL : LINE_INTERVAL)) {
            long received = proof.receivedEvents();
            rate = (received - ratedReceived) / seconds(now - ratedAt);
            ratedAt = now;
            ratedReceived = received;
        }
        if (now - shownAt < (live ? BLOCK_INTERVAL : LINE_INTERVAL)) {
            return;
        }
        shownAt = now;
        long written = proof.committedEvents() - phase.committed();
        long delivered = proof.receivedEvents() - phase.received();
        if (live) {
            String text = block.text(
                    new LiveBlock.Counts(phase.title(), phase.expected(), written, delivered, proof.missing(), rate),
                    participants.all(),
                    now);
            erase();
            err.print(text);
            err.flush();
            blockLines = (int) text.lines().count();
        } else {
            err.printf(
                    Locale.ROOT,
                    "%6.1f s    written %,d  delivered %,d  backlog %,d  %,.0f events/s%n",
                    seconds(now - begin),
                    written,
                    delivered,
                    proof.missing(),
                    rate);
        }
    }

    /** Nothing goes on any more. */
    synchronized void end() {
        erase();
        err.flush();
    }

    @Override
    public void close() {
        end();
    }

    private void erase() {
        if (blockLines > 0) {
            err.print("\u001b[" + blockLines + "A\r\u001b[J");
            blockLines = 0;
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }
}
