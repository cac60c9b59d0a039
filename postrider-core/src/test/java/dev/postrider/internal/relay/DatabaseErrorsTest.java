package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Logged;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseErrorsTest {
    private static final SQLException MISSING_TABLE =
            new SQLException("relation \"outbox\" does not exist\n  Position: 27", "42P01");

    private static final SQLException CONNECTION = new SQLException("An I/O error occurred", "08006");

    private long now = 1_000_000_000L;
    private final DatabaseErrors errors = new DatabaseErrors("one", () -> now);

    @Test
    void errorThatAPersonHasToMendIsToldAsSuchOnceAndThenSummedUp() {
        assertThat(Logged.during(() -> errors.failed(MISSING_TABLE)))
                .hasSize(1)
                .first()
                .asString()
                .contains("ERROR", "[one]", "refuses", "does not exist (SQL state 42P01)", "postrider doctor")
                .doesNotContain("does not answer", "Position");

        assertThat(Logged.during(() -> {
                    for (int i = 0; i < 50; i++) {
                        now += Duration.ofSeconds(1).toNanos();
                        errors.failed(MISSING_TABLE);
                    }
                }))
                .isEmpty();
        now += Duration.ofSeconds(10).toNanos();
        assertThat(Logged.during(() -> errors.failed(MISSING_TABLE)))
                .hasSize(1)
                .first()
                .asString()
                .contains("WARN", "51 more errors", "60 s");
    }

    @Test
    void outageIsToldOnceAndItsEndWithHowLongItTook() {
        assertThat(Logged.during(() -> errors.failed(CONNECTION)))
                .hasSize(1)
                .first()
                .asString()
                .contains("WARN", "does not answer", "08006");
        now += Duration.ofSeconds(34).toNanos();
        assertThat(Logged.during(() -> errors.failed(CONNECTION))).isEmpty();
        assertThat(Logged.during(errors::none))
                .hasSize(1)
                .first()
                .asString()
                .contains("INFO", "works again", "34 s", "2 errors");
        assertThat(Logged.during(errors::none)).isEmpty();
    }

    @Test
    void anotherErrorIsToldAgain() {
        Logged.during(() -> errors.failed(CONNECTION));
        assertThat(Logged.during(() -> errors.failed(MISSING_TABLE))).hasSize(1);
    }
}
