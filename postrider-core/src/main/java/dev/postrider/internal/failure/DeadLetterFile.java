package dev.postrider.internal.failure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The second net: lines that are appended and synced. They hold payloads, so nobody but the owner of the file may read it, where
 * the file system knows owners.
 */
final class DeadLetterFile {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterFile.class);
    private static final Set<PosixFilePermission> OWNER_ALONE =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final String relay;
    private final Path file;

    DeadLetterFile(String relay, Path file) {
        this.relay = relay;
        this.file = file.toAbsolutePath();
    }

    Path path() {
        return file;
    }

    /** Why nothing can be written to it, as far as that can be seen without writing; null if it probably can. */
    @Nullable
    String obstacle() {
        if (Files.exists(file)) {
            return Files.isDirectory(file)
                    ? "it is a directory"
                    : Files.isWritable(file) ? null : "this process may not write to it";
        }
        Path existing = file.getParent();
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        return existing == null || Files.isDirectory(existing) && Files.isWritable(existing)
                ? null
                : "this process may not create files in " + existing;
    }

    void append(Collection<String> rows) throws IOException {
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        makeForOwnerAlone();
        byte[] lines = (String.join("\n", rows) + "\n").getBytes(StandardCharsets.UTF_8);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            ByteBuffer buffer = ByteBuffer.wrap(lines);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    /** Created so, not changed afterwards: there is no moment at which others could open it. */
    private void makeForOwnerAlone() throws IOException {
        boolean owned = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        try {
            if (owned) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER_ALONE));
            } else {
                Files.createFile(file);
            }
        } catch (FileAlreadyExistsException e) {
            if (owned) {
                closeToOthers();
            }
        }
    }

    private void closeToOthers() {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(one -> !one.name().startsWith("OWNER_"))) {
                Files.setPosixFilePermissions(file, OWNER_ALONE);
                log.warn(
                        "[{}] {} holds payloads and could be read by users other than its owner ({}): this was corrected",
                        relay,
                        file,
                        PosixFilePermissions.toString(permissions));
            }
        } catch (IOException e) {
            log.warn(
                    "[{}] {} holds payloads, and users other than its owner may be able to read it: {}",
                    relay,
                    file,
                    e.toString());
        }
    }
}
