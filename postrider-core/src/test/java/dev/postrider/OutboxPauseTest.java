package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class OutboxPauseTest {
    private static final Instant SINCE = Instant.parse("2026-11-17T10:15:30Z");

    @Test
    void wordsAreOnOneLineWithoutAnythingATerminalTakesForACommand() {
        assertThat(new OutboxPause("al\u001b[31mice", SINCE, "the broker\r\nmoves\u0007\n").inWords())
                .isEqualTo("by al [31mice since 2026-11-17T10:15:30Z: the broker moves");
    }

    @Test
    void sentenceEndsWithOneFullStop() {
        assertThat(new OutboxPause("alice", SINCE, "the broker moves").asSentence())
                .isEqualTo("by alice since 2026-11-17T10:15:30Z: the broker moves.");
        assertThat(new OutboxPause("alice", SINCE, "The broker moves.\n").asSentence())
                .isEqualTo("by alice since 2026-11-17T10:15:30Z: The broker moves.");
        assertThat(OutboxPause.parse("why not?").asSentence()).isEqualTo("by unknown: why not?");
    }
}
