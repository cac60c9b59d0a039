package dev.postrider.tests.campaign;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import java.io.PrintStream;
import java.time.Duration;

/** What a relay's listener is told, a line each, for {@link Told}. Any thread. */
final class Reports implements RelayListener {
    static final String STARTED = "started";
    static final String PUBLISHED = "published ";
    static final String DEAD = "dead ";
    static final String IN_FILE = "in-file ";
    static final String THREW = "threw ";
    static final String TOTAL = "total ";

    private final PrintStream out;

    Reports(PrintStream out) {
        this.out = out;
    }

    void started() {
        tell(STARTED);
    }

    @Override
    public void published(OutboxEvent event, Duration latency) {
        tell(PUBLISHED + event.id());
    }

    @Override
    public void dead(long id, String error) {
        tell(DEAD + id);
    }

    @Override
    public void deadLetterInFile(long id) {
        tell(IN_FILE + id);
    }

    void total(long published, long dead) {
        tell(TOTAL + published + " " + dead);
    }

    private synchronized void tell(String line) {
        out.println(line);
        out.flush();
    }
}
