package dev.postrider.internal.source.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A relay has survived an attempt only if nobody took it for dead meanwhile. */
class AttemptsTest {
    private static final int SHARD = 3;
    private static final long EVENT = 42;

    private final Attempts attempts = new Attempts();
    private final Object source = new Object();

    @Test
    void relayThatTakesItsShardOverAgainUnderWhateverNameHasSurvived() {
        attempts.made(SHARD, EVENT, "one", source);

        assertThat(attempts.survived(SHARD, "one", "two")).isEqualTo(EVENT);
        assertThat(attempts.survived(SHARD, "two", "two"))
                .as("what it said of that could not be recorded")
                .isEqualTo(EVENT);
    }

    @Test
    void relayWhoseShardAnotherHadMeanwhileHasNot() {
        attempts.made(SHARD, EVENT, "one", source);

        assertThat(attempts.survived(SHARD, "another", "one")).isNull();
        assertThat(attempts.survived(SHARD, "one", "one")).isNull();
    }

    @Test
    void sourceThatBrokeOffWithAnErrorHasNot() {
        attempts.made(SHARD, EVENT, "one", source);
        attempts.made(SHARD + 1, EVENT + 1, "one", new Object());

        attempts.forgetThoseOf(source);

        assertThat(attempts.survived(SHARD, "one", "one")).isNull();
        assertThat(attempts.survived(SHARD + 1, "one", "one")).isEqualTo(EVENT + 1);
    }
}
