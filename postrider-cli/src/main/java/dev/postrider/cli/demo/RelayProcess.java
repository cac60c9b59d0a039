package dev.postrider.cli.demo;

import dev.postrider.PostriderException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One {@code postrider relay} in a JVM of its own, that can be killed and started again. It ends with
 * this process, however this process ends.
 */
final class RelayProcess implements AutoCloseable {
    /** By name, since the demo is one of its commands. */
    private static final String MAIN = "dev.postrider.cli.PostriderCommand";

    private static final long STOP_SECONDS = 20;
    private static final String PAUSE = """
            trap '' HUP INT TERM; kill -STOP "$1" || exit 1; sleep "$2"; kill -CONT "$1"
            """;

    private final String name;
    private final Map<String, String> environment;
    private final Consumer<String> log;
    private @Nullable Process process;
    private volatile String lastLine = "";

    /**
     * @param log told of every line the relay logs
     */
    RelayProcess(String name, Map<String, String> environment, Consumer<String> log) {
        this.name = name;
        this.environment = environment;
        this.log = log;
    }

    String name() {
        return name;
    }

    synchronized void start() {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        // For a minute's work on a small machine the big compiler costs more than it brings.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath(),
                        MAIN,
                        "relay",
                        "--name",
                        name,
                        // No file of the user's: this relay is set by its environment alone.
                        "--config",
                        "/dev/null",
                        "--until-input-ends")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(variable -> variable.startsWith("POSTRIDER_"));
        builder.environment().putAll(environment);
        try {
            Process started = builder.start();
            process = started;
            Thread reading = new Thread(() -> readLog(started), name + "-log");
            reading.setDaemon(true);
            reading.start();
        } catch (IOException e) {
            throw new PostriderException(name + " could not be started: " + e.getMessage(), e);
        }
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void readLog(Process started) {
        try (BufferedReader lines = started.errorReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                lastLine = line;
                log.accept(line);
            }
        } catch (IOException e) {
            // The process is gone and its pipe with it.
        }
    }

    /** Fails if the relay has ended by itself. */
    synchronized void check() {
        if (process != null && !process.isAlive()) {
            throw new PostriderException(
                    name + " ended by itself with status " + process.exitValue() + "; the last it said: " + lastLine);
        }
    }

    /** SIGKILL: the relay has no chance to finish anything. */
    synchronized void kill() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
            process = null;
        }
    }

    /**
     * SIGSTOP, and after a while SIGCONT: the relay stands still and knows nothing of it. A shell sees to both, so that
     * the relay goes on even if this process ends meanwhile; signals to this process's group do not end it.
     *
     * @return whether it was paused; not where there is no such shell
     */
    boolean pause(Duration standstill) throws InterruptedException {
        long pid;
        synchronized (this) {
            if (process == null) {
                return false;
            }
            pid = process.pid();
        }
        try {
            Process pausing = new ProcessBuilder(
                            "sh", "-c", PAUSE, "sh", Long.toString(pid), Long.toString(standstill.toSeconds()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return pausing.waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** SIGTERM: the relay waits for what is in flight. */
    synchronized void stop() throws InterruptedException {
        if (process != null) {
            process.destroy();
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new PostriderException(name + " did not stop within " + STOP_SECONDS + " s.");
            }
            process = null;
        }
    }

    @Override
    public void close() {
        kill();
    }
}
