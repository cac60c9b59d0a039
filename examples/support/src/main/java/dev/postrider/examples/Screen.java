package dev.postrider.examples;

import java.io.Console;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a person sees: lines that tell a story, and below them a table that is redrawn in place. Where there is no
 * terminal, the table is printed when it has changed, every five seconds at most. Safe for use by several threads.
 */
public final class Screen implements AutoCloseable {
    private static final long TERMINAL_INTERVAL_MS = 250;
    private static final long PLAIN_INTERVAL_MS = 5_000;

    private final PrintStream out;
    private final boolean terminal;
    private final long begin = System.nanoTime();
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable Supplier<Table> table;
    private @Nullable Thread drawing;
    private List<String> drawn = List.of();

    Screen(PrintStream out) {
        this(out, isTerminal());
    }

    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** A line without a time. */
    public synchronized void line(String text) {
        erase();
        out.println(text);
        redraw();
    }

    /** Something happened. */
    public synchronized void tell(String text) {
        line(String.format(Locale.ROOT, "%6.1f s  %s", (System.nanoTime() - begin) / 1e9, text));
    }

    /**
     * Shows this table from now on. The supplier is called often, on a thread of its own, and may fail while servers are
     * down: the last table then stays.
     */
    public synchronized void show(Supplier<Table> newTable) {
        table = newTable;
        if (drawing == null) {
            drawing = new Thread(this::draw, "demo-screen");
            drawing.setDaemon(true);
            drawing.start();
        }
    }

    private void draw() {
        try {
            do {
                drawOnce();
            } while (!closed.await(terminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // The screen is being closed.
        }
    }

    private void drawOnce() {
        Supplier<Table> current;
        synchronized (this) {
            current = table;
        }
        if (current == null) {
            return;
        }
        List<String> lines;
        try {
            lines = current.get().lines();
        } catch (RuntimeException e) {
            // A server that the table asks is down, which is part of the story.
            return;
        }
        synchronized (this) {
            if (lines.equals(drawn) || closed.getCount() == 0) {
                return;
            }
            erase();
            drawn = lines;
            if (terminal) {
                redraw();
            } else {
                lines.forEach(out::println);
            }
        }
    }

    /** The table stays as it is, and nothing is drawn any more. */
    @Override
    public void close() {
        Thread waitFor;
        synchronized (this) {
            closed.countDown();
            drawn = List.of();
            waitFor = drawing;
        }
        if (waitFor != null) {
            waitFor.interrupt();
        }
    }

    private void erase() {
        if (terminal && !drawn.isEmpty()) {
            out.print("\u001b[" + drawn.size() + "A\r\u001b[J");
        }
    }

    private void redraw() {
        if (terminal) {
            drawn.forEach(out::println);
            out.flush();
        }
    }

    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null || "dumb".equals(System.getenv().getOrDefault("TERM", "dumb"))) {
            return false;
        }
        try {
            // Newer Java versions give out a console even where there is none, but can tell.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
