package dev.postrider.examples;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A service in a process of its own, mostly a JVM, that can be killed and started again. It ends with this process,
 * however this process ends: even if it is killed.
 */
public final class ServiceProcess implements AutoCloseable {
    private static final int KEPT_LINES = 40;
    private static final long STOP_SECONDS = 30;
    /** Its input ends when this process does. */
    private static final String WATCH = "trap '' HUP INT TERM; cat >/dev/null; kill -KILL \"$1\" 2>/dev/null";

    private final String name;
    /** What stands before and after the system properties in the command. */
    private final List<String> program;

    private final List<String> mainClass;
    private final @Nullable File directory;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
    private final Deque<String> lines = new ArrayDeque<>();
    private @Nullable Process process;
    private @Nullable Process watcher;

    private ServiceProcess(String name, List<String> program, List<String> mainClass, @Nullable File directory) {
        this.name = name;
        this.program = List.copyOf(program);
        this.mainClass = List.copyOf(mainClass);
        this.directory = directory;
    }

    private static ServiceProcess ofClass(String name, String classPath, String mainClass) {
        return new ServiceProcess(
                name,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        // For a few minutes on a small machine the big compiler costs more than it gains.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath),
                List.of(mainClass),
                null);
    }

    /** A service with the class path that the build has written for its module. */
    public static ServiceProcess ofModule(Path module, String mainClass) {
        Path target = module.resolve("target");
        try {
            String classPath =
                    target.resolve("classes") + File.pathSeparator + Files.readString(target.resolve("run.class-path"));
            return ofClass(String.valueOf(module.getFileName()), classPath.strip(), mainClass);
        } catch (IOException e) {
            throw new UncheckedIOException(module + " has not been built by mvn package", e);
        }
    }

    /** For tests: a service with the class path of this process. */
    public static ServiceProcess ofThisClassPath(String name, String mainClass) {
        return ofClass(name, System.getProperty("java.class.path"), mainClass);
    }

    /**
     * Any other program. It has no system properties, and must not hide behind a process that does not pass on signals.
     *
     * @param directory where it runs
     */
    public static ServiceProcess ofProgram(String name, Path directory, String... program) {
        return new ServiceProcess(name, List.of(program), List.of(), directory.toFile());
    }

    /** A system property, which is a property for Spring Boot too. For the next start. */
    public ServiceProcess with(String property, Object value) {
        properties.put(property, String.valueOf(value));
        return this;
    }

    /** A variable of its environment. For the next start. */
    public ServiceProcess withVariable(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Arguments of its main method. For the next start. */
    public ServiceProcess withArguments(String... more) {
        arguments.addAll(List.of(more));
        return this;
    }

    /** Is told of every line that the service prints. */
    public ServiceProcess onLine(Consumer<String> listener) {
        listeners.add(listener);
        return this;
    }

    public synchronized ServiceProcess start() {
        if (process != null) {
            throw new IllegalStateException(name + " runs already");
        }
        List<String> command = new ArrayList<>(program);
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(mainClass);
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process started = builder.start();
            process = started;
            watcher = new ProcessBuilder("sh", "-c", WATCH, "sh", Long.toString(started.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Thread reading = new Thread(() -> read(started), name + "-output");
            reading.setDaemon(true);
            reading.start();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " could not be started", e);
        }
        return this;
    }

    private void read(Process started) {
        try (BufferedReader reader = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lines) {
                    lines.addLast(line);
                    if (lines.size() > KEPT_LINES) {
                        lines.removeFirst();
                    }
                }
                for (Consumer<String> listener : listeners) {
                    listener.accept(line);
                }
            }
        } catch (IOException e) {
            // The process is gone, and its pipe with it.
        }
    }

    public String name() {
        return name;
    }

    /** The id of the running process. */
    public synchronized long pid() {
        if (process == null) {
            throw new IllegalStateException(name + " does not run");
        }
        return process.pid();
    }

    public synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** The last lines it has printed. */
    public List<String> lastLines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** Fails if the service has ended by itself. */
    public synchronized void check() {
        if (process != null && !process.isAlive()) {
            throw new IllegalStateException(name + " ended by itself with status " + process.exitValue() + ": "
                    + String.join("\n", lastLines()));
        }
    }

    /** SIGKILL: the service has no chance to finish anything. */
    public synchronized void kill() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
            ended();
        }
    }

    /** SIGTERM: the service finishes what it is doing. */
    public synchronized void stop() throws InterruptedException {
        if (process != null) {
            process.destroy();
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                kill();
                throw new IllegalStateException(name + " did not stop within " + STOP_SECONDS + " s; killed");
            }
            ended();
        }
    }

    private void ended() {
        process = null;
        if (watcher != null) {
            watcher.destroyForcibly().onExit().join();
            watcher = null;
        }
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }
}
