package dev.postrider.tests.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DeathsTest {
    private final Deaths deaths = new Deaths();

    @Test
    void deathThatIsToldOnceIsInOrder() {
        deaths.note(7, "a");

        assertThat(deaths.invented(Map.of(7L, 1), Map.of())).isEmpty();
        assertThat(deaths.untold(Map.of(7L, 1))).isEmpty();
    }

    @Test
    void deathThatIsToldTwiceIsInvented() {
        deaths.note(7, "a");

        assertThat(deaths.invented(Map.of(7L, 2), Map.of())).hasSize(1);
    }

    @Test
    void deathThatNobodyRecordedIsInvented() {
        deaths.note(7, "a");

        assertThat(deaths.invented(Map.of(7L, 1, 8L, 1), Map.of())).hasSize(1);
        assertThat(deaths.invented(Map.of(7L, 1, 8L, 1), Map.of(8L, 1))).isEmpty();
    }

    @Test
    void deathThatIsNeverToldIsFound() {
        deaths.note(7, "a");

        assertThat(deaths.untold(Map.of())).singleElement().asString().contains("[a]");
    }

    @Test
    void rowIdsThatBeginAnewHideNoDeath() {
        deaths.note(7, "a");
        deaths.note(7, "b");

        assertThat(deaths.untold(Map.of(7L, 1))).hasSize(1);
        assertThat(deaths.untold(Map.of(7L, 2))).isEmpty();
        assertThat(deaths.invented(Map.of(7L, 2), Map.of())).isEmpty();
        assertThat(deaths.invented(Map.of(7L, 3), Map.of())).hasSize(1);
    }

    @Test
    void eventThatDiesAgainAfterARetryMayBeToldOnceOrTwice() {
        deaths.note(7, "a");
        deaths.note(7, "a");

        assertThat(deaths.untold(Map.of(7L, 1))).isEmpty();
        assertThat(deaths.invented(Map.of(7L, 2), Map.of())).isEmpty();
    }
}
