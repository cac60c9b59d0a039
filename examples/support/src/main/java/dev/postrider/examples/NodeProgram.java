package dev.postrider.examples;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A program in Node, which needs packages of npm. */
public final class NodeProgram {
    private static final long NPM_SECONDS = 60;
    private static final Set<String> NOT_COPIED = Set.of("node_modules", "src", "target");

    private NodeProgram() {}

    /**
     * Copies a program and gets the packages of its lock file there, so that nothing is written where its source is.
     *
     * @return whether it can be started; false without Node, without npm, and without a network if npm has never got these
     *     packages before
     */
    public static boolean install(Path source, Path copy) throws IOException, InterruptedException {
        copy(source, copy);
        return succeeds(copy, "node", "--version")
                && succeeds(
                        copy,
                        "npm",
                        "ci",
                        "--prefer-offline",
                        "--ignore-scripts",
                        "--no-audit",
                        "--no-fund",
                        "--no-update-notifier",
                        "--fetch-retries=0",
                        "--fetch-timeout=10000");
    }

    private static void copy(Path source, Path copy) throws IOException {
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (NOT_COPIED.contains(String.valueOf(directory.getFileName()))) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(copy.resolve(source.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, copy.resolve(source.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static boolean succeeds(Path directory, String... command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            // There is no such program.
            return false;
        }
        try {
            return process.waitFor(NPM_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }
}
