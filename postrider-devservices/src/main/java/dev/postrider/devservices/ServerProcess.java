package dev.postrider.devservices;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run of a server, from launch to end. Everything it prints goes to its log file, so that it neither disturbs our
 * console nor ever waits for us to read.
 */
final class ServerProcess {

    private static final int TAIL_LINES = 25;
    private static final int TAIL_BYTES = 8_000;
    private static final long POLL_MILLIS = 5;
    private static final Duration DEATH = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final Path log;
    private final long logStart;

    private ServerProcess(String name, Process process, Path log, long logStart) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.logStart = logStart;
    }

    static ServerProcess launch(String name, Command command, Path log) {
        try {
            long logStart = Files.exists(log) ? Files.size(log) : 0;
            Process process = command.inOwnSession()
                    .builder()
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return new ServerProcess(name, process, log, logStart);
        } catch (IOException e) {
            throw new DevServicesException(
                    name + " could not be launched: " + e.getMessage() + "; the command was " + command.words(), e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isRunning() {
        return !hasEnded(process.toHandle());
    }

    /** Writes one line to the server's standard input; says nothing if the server is no longer there to read it. */
    void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // It has ended, which the caller sees anyway.
        }
    }

    boolean awaitExit(Duration limit) {
        return awaitEnd(process.toHandle(), limit);
    }

    /**
     * Ends the process and its children the way a power cut would, and returns when they are gone. The parent goes first:
     * a PostgreSQL that sees a child die begins to recover. A child born between looking and killing sees its parent's
     * death and ends by itself.
     */
    void kill() {
        List<ProcessHandle> family = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        family.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle member : family) {
            if (!awaitEnd(member, DEATH)) {
                throw new DevServicesException(name + " (pid " + pid() + ") or its child " + member.pid()
                        + " is still there " + DEATH.toSeconds()
                        + " s after it was killed: it hangs in the operating system, look at its disk");
            }
        }
    }

    /** Interrupts do not shorten the wait, because a server's end is never left half-way; the limit does. */
    private static boolean awaitEnd(ProcessHandle handle, Duration limit) {
        boolean interrupted = false;
        long start = System.nanoTime();
        try {
            // Polling, because for a process that is not our child the JDK polls as well, but only every second or so.
            while (!hasEnded(handle)) {
                if (System.nanoTime() - start > limit.toNanos()) {
                    return false;
                }
                try {
                    Thread.sleep(POLL_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Whether the process runs no more. Its entry in the process table outlives it for a moment, and for ever where the
     * first process of a container does not care for orphans; the JDK calls that alive.
     */
    static boolean hasEnded(ProcessHandle handle) {
        if (!handle.isAlive()) {
            return true;
        }
        try {
            // "pid (name) state ...", where the name may contain anything.
            String stat = Files.readString(Path.of("/proc", Long.toString(handle.pid()), "stat"));
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            // No such file: either not Linux, or it has ended this very moment, which the next look will tell.
            return false;
        }
    }

    /** What the server has said since this launch, in full up to a limit. */
    boolean hasSaid(String text) {
        return tailText().contains(text);
    }

    /** The end of what the server has said since this launch, indented and introduced, for an error message. */
    String logTail() {
        List<String> lines = tailText().lines().toList();
        if (lines.isEmpty()) {
            return "it wrote nothing to its log " + log;
        }
        List<String> tail = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        return "the end of its log " + log + ":\n    " + String.join("\n    ", tail);
    }

    private String tailText() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.max(logStart, file.length() - TAIL_BYTES));
            byte[] bytes = new byte[(int) (file.length() - file.getFilePointer())];
            file.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(log not readable: " + e.getMessage() + ")";
        }
    }
}
