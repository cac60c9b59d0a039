package dev.postrider.devservices;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program with its arguments, the directory to run it in and the environment variables to set for it.
 *
 * <p>It runs in an environment without the variables that would change what a server does: settings for PostgreSQL's and
 * Kafka's own tools, and options for every JVM (a debugger's port can be opened only once).
 */
record Command(List<String> words, Path directory, Map<String, String> variables) {

    static final boolean WINDOWS =
            System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("windows");

    private static final List<String> FOREIGN_VARIABLES =
            List.of("PG", "KAFKA_", "CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    Command {
        words = List.copyOf(words);
        variables = Map.copyOf(variables);
    }

    Command(List<String> words, Path directory) {
        this(words, directory, Map.of());
    }

    /** The program of this name on the path, if there is one. */
    static Optional<String> find(String program) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/bin" + File.pathSeparator
                + "/bin";
        for (String directory : path.split(File.pathSeparator)) {
            File candidate = new File(directory, program);
            if (!directory.isEmpty() && candidate.isFile() && candidate.canExecute()) {
                return Optional.of(candidate.getPath());
            }
        }
        return Optional.empty();
    }

    /**
     * The same in a session of its own, where the machine can do that (elsewhere: unchanged). Ctrl-C in a terminal goes
     * to all processes of a session's foreground group, so without this the servers would end by themselves, at once and
     * in no order, before their owner has been asked.
     */
    Command inOwnSession() {
        Optional<String> setsid = WINDOWS ? Optional.empty() : find("setsid");
        if (setsid.isEmpty()) {
            return this;
        }
        // Not being the leader of a process group, setsid becomes the program and needs no fork: the pid stays.
        List<String> wrapped = new ArrayList<>();
        wrapped.add(setsid.get());
        wrapped.addAll(words);
        return new Command(wrapped, directory, variables);
    }

    ProcessBuilder builder() {
        ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> FOREIGN_VARIABLES.stream().anyMatch(name::startsWith));
        builder.environment().putAll(variables);
        return builder;
    }

    /** How a program ended; with exit code -1 if it could not be started or did not end in time. */
    record Outcome(int exitCode, String output) {
        boolean isSuccess() {
            return exitCode == 0;
        }
    }

    /**
     * Runs the program to its end. An interrupt does not shorten that, because what runs here leaves a mess when it is
     * cut off; the limit does.
     */
    Outcome run(Duration limit) {
        Process process;
        try {
            process = builder().redirectErrorStream(true).start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return new Outcome(-1, String.valueOf(e.getMessage()));
        }
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()), task -> {
            Thread reader = new Thread(task, "postrider-command-output");
            reader.setDaemon(true);
            reader.start();
        });
        boolean interrupted = false;
        try {
            long deadline = System.nanoTime() + limit.toNanos();
            while (true) {
                try {
                    if (!process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return new Outcome(-1, "no end within " + limit.toSeconds() + " s");
                    }
                    return new Outcome(process.exitValue(), output.join());
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            process.destroyForcibly();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String read(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "(output not readable: " + e.getMessage() + ")";
        }
    }
}
