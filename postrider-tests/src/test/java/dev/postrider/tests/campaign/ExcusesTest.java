package dev.postrider.tests.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.tests.campaign.Excuses.Excuse;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class ExcusesTest {
    private static final Callable<Boolean> FAILING = () -> {
        throw new SQLException("no");
    };

    private final Excuses excuses = new Excuses();

    @Test
    void whatFailsWithNothingInItsWayIsAFinding() throws Exception {
        excuses.give(Excuse.DATABASE_DOWN, () -> true);

        assertThatThrownBy(() -> excuses.attempt("replay", FAILING, Excuse.DATABASE_DOWN))
                .as("that was before")
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("replay failed, and nothing was in its way: java.sql.SQLException: no");
        assertThatThrownBy(() -> excuses.give(
                        Excuse.BROKER_DOWN, () -> excuses.attempt("replay", FAILING, Excuse.DATABASE_DOWN)))
                .as("that is something else")
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void whatFailsBecauseOfAFaultThatHadBegunOrBeginsMeanwhileIsWithoutEffect() throws Exception {
        assertThat(excuses.give(Excuse.DATABASE_DOWN, () -> excuses.attempt("replay", FAILING, Excuse.DATABASE_DOWN)))
                .isFalse();
        assertThat(excuses.attempt(
                        "replay",
                        () -> {
                            excuses.give(Excuse.DATABASE_DOWN, () -> true);
                            return FAILING.call();
                        },
                        Excuse.DATABASE_DOWN))
                .isFalse();
    }
}
