package dev.postrider.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadLetterFileTest {
    @TempDir
    Path directory;

    @Test
    void placeWhereNoFileCanBeIsNoticedBeforeItIsNeeded() throws IOException {
        Path plain = Files.writeString(directory.resolve("plain"), "");

        assertThat(at(directory).obstacle()).isEqualTo("it is a directory");
        assertThat(at(plain.resolve("below").resolve("letters.jsonl")).obstacle())
                .isEqualTo("this process may not create files in " + plain.toAbsolutePath());
    }

    @Test
    void fileThatIsThereOrCanBeMadeIsNoObstacle() throws IOException {
        assertThat(at(Files.writeString(directory.resolve("letters.jsonl"), "")).obstacle())
                .isNull();
        assertThat(at(directory.resolve("new").resolve("letters.jsonl")).obstacle())
                .isNull();
        assertThat(directory.resolve("new")).as("only looked").doesNotExist();
    }

    private static DeadLetterFile at(Path path) {
        return new DeadLetterFile("relay", path);
    }
}
