package dev.postrider.devservices;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which one server keeps everything it writes: either a temporary one that disappears on close, or one
 * that the user named and that is kept.
 *
 * <p>A workspace has one owner at a time. The lock ends with the owning JVM, however it ends, which can be a few seconds
 * before the server that the owner left behind has ended: see {@link Watchdog}.
 */
final class Workspace implements AutoCloseable {

    private final Path path;
    private final boolean temporary;
    private final @Nullable FileChannel lock;

    private Workspace(Path path, boolean temporary, @Nullable FileChannel lock) {
        this.path = path;
        this.temporary = temporary;
        this.lock = lock;
    }

    /** The named directory, or a temporary one if there is no name. */
    static Workspace open(String server, @Nullable Path directory) {
        try {
            if (directory == null) {
                Path path = Files.createTempDirectory("postrider-" + server + "-");
                return new Workspace(path.toRealPath(), true, null);
            }
            Files.createDirectories(directory);
            Path path = directory.toRealPath();
            return new Workspace(path, false, lock(server, path));
        } catch (IOException e) {
            throw new DevServicesException(
                    "cannot create or use the " + server + " data directory "
                            + (directory == null ? "in " + System.getProperty("java.io.tmpdir") : directory) + ": " + e
                            + "; choose a directory you can write to",
                    e);
        }
    }

    private static FileChannel lock(String server, Path path) throws IOException {
        FileChannel channel =
                FileChannel.open(path.resolve(".postrider-lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        }
        if (lock == null) {
            channel.close();
            throw new DevServicesException("the " + server + " data directory " + path
                    + " is in use by another process or by another object in this one:"
                    + " close that one first, or choose another directory");
        }
        return channel;
    }

    Path path() {
        return path;
    }

    boolean isTemporary() {
        return temporary;
    }

    /** What has to be deleted when the server is gone. */
    Optional<Path> temporaryPath() {
        return temporary ? Optional.of(path) : Optional.empty();
    }

    /** Call it only when the server's processes have ended. Deleting is a best effort. */
    @Override
    public void close() {
        try {
            if (temporary) {
                delete(path);
            }
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            // Nobody can act on a leftover in the temporary directory, and the lock ends with this JVM at the latest.
        }
    }

    /** Deletes a directory with everything in it, and does not mind others deleting it at the same time. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
