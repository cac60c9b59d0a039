package dev.postrider.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HalvingTest {
    private static final String CHECK_VIOLATION = "23514";

    private final List<Integer> rows = IntStream.range(0, 2000).boxed().toList();
    private final AtomicInteger statements = new AtomicInteger();

    @Test
    void whatRefusesEverythingIsNotAskedForEachRow() throws SQLException {
        List<Halving.Refused<Integer>> refused =
                Halving.runUnlessHopeless(rows, refusing(any -> true, CHECK_VIOLATION));

        assertThat(refused).extracting(Halving.Refused::row).isEqualTo(rows);
        assertThat(Halving.isHopeless(rows, refused)).isTrue();
        assertThat(statements).hasValueLessThan(40);
    }

    @Test
    void oneThatIsAcceptedIsReasonEnoughToTryAllOthers() throws SQLException {
        List<Halving.Refused<Integer>> refused =
                Halving.runUnlessHopeless(rows, refusing(row -> row > 5 && row != 1999, CHECK_VIOLATION));

        assertThat(refused).extracting(Halving.Refused::row).isEqualTo(rows.subList(6, 1999));
        assertThat(Halving.isHopeless(rows, refused)).isFalse();
    }

    @Test
    void damagedRowsAreLookedAtOneByOne() throws SQLException {
        List<Halving.Refused<Integer>> refused = Halving.runUnlessHopeless(rows, refusing(any -> true, "XX001"));

        assertThat(Halving.isHopeless(rows, refused)).isFalse();
    }

    private Halving.Work<Integer> refusing(IntPredicate bad, String state) {
        return some -> {
            statements.incrementAndGet();
            if (some.stream().anyMatch(bad::test)) {
                throw new SQLException("refused", state);
            }
        };
    }
}
