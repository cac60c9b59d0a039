package dev.postrider.tests.cli;

import dev.postrider.cli.PostriderCommand;
import dev.postrider.tests.support.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The {@code postrider} command as a process of its own. */
final class CommandProcess implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    private CommandProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static CommandProcess start(Path directory, Map<String, String> environment, String... arguments)
            throws IOException {
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder = ChildJvm.of(PostriderCommand.class, List.of(), arguments)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("POSTRIDER_"));
        builder.environment().putAll(environment);
        return new CommandProcess(builder.start(), out, err);
    }

    String out() throws IOException {
        return Files.readString(out);
    }

    String err() throws IOException {
        return Files.readString(err);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The processes it started and theirs. */
    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    /** Its exit status, once it has ended by itself. */
    int await() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("The command still runs after a minute.");
        }
        return process.exitValue();
    }

    /** SIGTERM, as Ctrl-C would be SIGINT: both end it gently. */
    int terminate() throws InterruptedException {
        process.destroy();
        return await();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
