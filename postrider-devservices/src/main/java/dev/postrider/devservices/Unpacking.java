package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * Unpacks a server's programs from the class path once per user and version.
 *
 * <p>A directory with the final name is always complete: unpacking happens beside it and ends with a rename. Two
 * processes may therefore unpack at the same time (one of the two throws its work away), and what a killed one leaves
 * behind has another name and is swept up by the next.
 */
final class Unpacking {

    private static final String MARK = ".unpacking-";

    /** Writes everything into an empty directory. */
    interface Filling {
        void fill(Path directory) throws IOException;
    }

    /** The directory of this name in the cache, filled. */
    static Path once(Path cache, String name, Filling filling) throws IOException {
        Path home = cache.resolve(name);
        if (!Files.isDirectory(home)) {
            Files.createDirectories(cache);
            sweep(cache);
            unpack(home, filling);
        }
        return home;
    }

    private static void sweep(Path cache) throws IOException {
        try (Stream<Path> entries = Files.list(cache)) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                String name = entry.getFileName().toString();
                int mark = name.indexOf(MARK);
                if (mark >= 0 && !isAlive(name.substring(mark + MARK.length()))) {
                    Workspace.delete(entry);
                }
            }
        }
    }

    private static boolean isAlive(String pidAndMore) {
        return ProcessHandle.of(Long.parseLong(pidAndMore.replaceFirst("-.*", "")))
                .isPresent();
    }

    private static void unpack(Path home, Filling filling) throws IOException {
        Path unpacking = Files.createTempDirectory(
                home.getParent(),
                home.getFileName() + MARK + ProcessHandle.current().pid() + "-");
        try {
            filling.fill(unpacking);
            if (!Command.WINDOWS) {
                letEverybodyIn(unpacking);
            }
            Files.move(unpacking, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isDirectory(home)) {
                throw e;
            }
            // Somebody else was quicker, and what they unpacked is as good as ours.
        } finally {
            Workspace.delete(unpacking);
        }
    }

    /** A temporary directory is closed to others, but {@link Account.AsNobody} has to read what we unpacked. */
    private static void letEverybodyIn(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Unpacking() {}
}
