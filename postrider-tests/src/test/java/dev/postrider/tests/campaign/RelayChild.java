package dev.postrider.tests.campaign;

import dev.postrider.tests.support.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A {@link CampaignRelay} in a process of its own, and what can be done to it. It ends with this process. */
final class RelayChild {
    private static final String NORMAL_HEAP = "-Xmx256m";
    private static final String SMALL_HEAP = "-Xmx64m";
    private static final long NORMAL_BATCH = 16L << 20;
    private static final long SMALL_BATCH = 2L << 20;

    private static final String END_OF_DUMP = "JNI global refs";
    private static final int DUMP_PATIENCE = 250;

    /** The shell sees to it that the relay goes on, even if this process ends meanwhile. */
    private static final String PAUSE = """
            trap '' HUP INT TERM; kill -STOP "$1" || exit 1; sleep "$2"; kill -CONT "$1"
            """;

    private final CampaignRelay.Options options;
    private final Told told;
    private final Path log;
    private @Nullable Process process;
    private volatile boolean wanted;
    private volatile boolean ready;
    private volatile boolean dumped;
    private final AtomicInteger errorsMet = new AtomicInteger();
    private int exits;

    RelayChild(CampaignRelay.Options options, Told told, Path log) {
        this.options = options;
        this.told = told;
        this.log = log;
    }

    String name() {
        return options.name();
    }

    Path log() {
        return log;
    }

    synchronized void start() {
        launch(NORMAL_HEAP, NORMAL_BATCH);
    }

    synchronized void startSmall() {
        launch(SMALL_HEAP, SMALL_BATCH);
    }

    private void launch(String heap, long maxBatchBytes) {
        wanted = true;
        ready = false;
        try {
            note("---- " + heap);
            Process started = ChildJvm.of(
                            CampaignRelay.class,
                            List.of(heap),
                            options.withMaxBatchBytes(maxBatchBytes)
                                    .toArguments()
                                    .toArray(String[]::new))
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            process = started;
            Told.OfOneProcess ofThis = told.process(name());
            Thread reading = new Thread(() -> read(started, ofThis), name() + "-told");
            reading.setDaemon(true);
            reading.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Process started, Told.OfOneProcess ofThis) {
        try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(Reports.STARTED)) {
                    ready = true;
                } else if (!ofThis.hear(line)) {
                    errorsMet.addAndGet(line.startsWith(Reports.THREW) ? 1 : 0);
                    note(line);
                    dumped |= line.startsWith(END_OF_DUMP);
                }
            }
        } catch (IOException e) {
            // The process is gone and its pipe with it.
        }
    }

    private void note(String line) {
        try {
            Files.writeString(log, line + System.lineSeparator(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has its lease. */
    boolean isReady() {
        return ready;
    }

    /** As a service manager would: one that ended by itself is started again. */
    synchronized void supervise() {
        if (wanted && process != null && !process.isAlive()) {
            exits++;
            note("---- ended by itself with status " + process.exitValue());
            start();
        }
    }

    /** How many errors were thrown in its processes as {@link InjectedErrors} were told. */
    int errorsMet() {
        return errorsMet.get();
    }

    /** How often it ended by itself. */
    synchronized int exits() {
        return exits;
    }

    /** SIGKILL. */
    synchronized void kill() {
        wanted = false;
        if (process != null) {
            note("---- killed");
            process.destroyForcibly().onExit().join();
            process = null;
        }
    }

    /**
     * SIGSTOP, and after a while SIGCONT.
     *
     * @return false if there was nothing to pause
     */
    boolean pause(Duration standstill) throws IOException, InterruptedException {
        long pid = pid();
        if (pid == 0) {
            return false;
        }
        note("---- paused");
        return new ProcessBuilder("sh", "-c", PAUSE, "sh", Long.toString(pid), Long.toString(standstill.toSeconds()))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    /**
     * SIGTERM.
     *
     * @return false if it did not end in time; it is still there then
     */
    boolean stop(Duration limit) throws InterruptedException {
        Process stopping;
        synchronized (this) {
            wanted = false;
            stopping = process;
        }
        if (stopping == null) {
            return true;
        }
        note("---- told to stop");
        stopping.destroy();
        return stopping.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Gives an order to {@link InjectedErrors}. */
    synchronized void command(String command) {
        if (process != null && process.isAlive()) {
            note("---- " + command);
            try {
                OutputStream in = process.getOutputStream();
                in.write((command + "\n").getBytes(StandardCharsets.UTF_8));
                in.flush();
            } catch (IOException e) {
                // It has just ended.
            }
        }
    }

    private synchronized long pid() {
        return process == null || !process.isAlive() ? 0 : process.pid();
    }

    /** Its log gets a dump of its threads; one that is paused or dead is not waited for. */
    void dumpThreads() throws IOException, InterruptedException {
        long pid = pid();
        if (pid != 0) {
            dumped = false;
            new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start().waitFor();
            for (int i = 0; i < DUMP_PATIENCE && !dumped; i++) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }
}
