package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds a directory for files that are worth keeping between runs and that will be executed. It therefore has to belong
 * to the user of this JVM, and nobody else may write to it: never a directory that users share.
 */
final class CacheDirectory {

    /**
     * The first of these that works: the user's own cache, a directory with the user's name in the temporary directory
     * (for a home that is missing or not writable), the given one.
     *
     * @param insideHome whether the home directory comes into question at all
     */
    static Path find(boolean insideHome, Path lastResort) {
        List<Path> candidates = new ArrayList<>();
        if (insideHome) {
            candidates.add(userCache());
        }
        String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
        candidates.add(Path.of(System.getProperty("java.io.tmpdir"), "postrider-" + user));
        return firstOwned(candidates, lastResort);
    }

    static Path firstOwned(List<Path> candidates, Path lastResort) {
        return candidates.stream()
                .filter(Path::isAbsolute)
                .filter(CacheDirectory::isOurs)
                .findFirst()
                .orElse(lastResort);
    }

    private static Path userCache() {
        @Nullable String configured = System.getenv("XDG_CACHE_HOME");
        return configured == null || configured.isBlank()
                ? Path.of(System.getProperty("user.home", ""), ".cache", "postrider")
                : Path.of(configured, "postrider");
    }

    private static boolean isOurs(Path directory) {
        try {
            Files.createDirectories(directory, onlyWeMayWrite(directory));
            Path probe = Files.createTempFile(directory, "probe-", null);
            try {
                return Files.getOwner(probe).equals(Files.getOwner(directory)) && onlyOwnerWrites(directory);
            } finally {
                Files.delete(probe);
            }
        } catch (IOException e) {
            return false;
        }
    }

    private static FileAttribute<?>[] onlyWeMayWrite(Path directory) {
        return isPosix(directory)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x"))
                }
                : new FileAttribute<?>[0];
    }

    private static boolean onlyOwnerWrites(Path directory) throws IOException {
        if (!isPosix(directory)) {
            return true;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(directory);
        return !permissions.contains(PosixFilePermission.GROUP_WRITE)
                && !permissions.contains(PosixFilePermission.OTHERS_WRITE);
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private CacheDirectory() {}
}
