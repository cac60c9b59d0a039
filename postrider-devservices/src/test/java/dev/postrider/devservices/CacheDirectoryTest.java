package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheDirectoryTest {

    @TempDir
    Path directory;

    @BeforeEach
    void needsPosixPermissions() {
        assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"));
    }

    @Test
    void firstUsableDirectoryIsTakenAndCreated() {
        Path first = directory.resolve("a/b");
        assertThat(CacheDirectory.firstOwned(List.of(first, directory.resolve("c")), directory))
                .isEqualTo(first)
                .isDirectory();
    }

    @Test
    void directoryThatOthersMayWriteToIsNotTrusted() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(CacheDirectory.firstOwned(List.of(open), directory)).isEqualTo(directory);
        assertThat(open).isEmptyDirectory();
    }

    @Test
    void placeThatCannotBeADirectoryIsPassedOver() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Path relative = Path.of("relative");
        assertThat(CacheDirectory.firstOwned(List.of(relative, file.resolve("below")), directory))
                .isEqualTo(directory);
    }
}
