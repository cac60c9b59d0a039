package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Events that are claimed together. */
class BatchTest extends ShortenedFiguresTest {
    private static final int BATCH = 40;

    /** The answers come at once, but the thread that gives them may be interrupted between two of them. */
    @Test
    @Requirement("T6")
    void batchIsSentBeforeAnythingIsAnsweredAndItsSuccessesAreRecordedByOneStatement() {
        AtomicInteger round = new AtomicInteger();
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> statementsFor("batch-" + round.incrementAndGet(), Set.of()) == 1);
    }

    @Test
    @Requirement("T6")
    void eachFailureOfABatchKeepsItsOwnError() {
        statementsFor("mixed", Set.of("mixed-3", "mixed-17", "mixed-40"));

        assertThat(jdbc.sql("""
                        select distinct aggregate_id || ': ' || error from journal where status = 'FAILED' and aggregate_id like 'mixed-%'
                        """).query(String.class).list())
                .hasSize(3)
                .allSatisfy(error -> assertThat(error).containsPattern("(mixed-\\d+): .*nothing from \\1$"));
        assertThat(TransferServiceTest.count(jdbc, "PUBLISHED", "mixed")).isEqualTo(BATCH - 3);
    }

    /** Nothing of the batch is answered before all of it has been sent; otherwise this waits in vain. */
    private int statementsFor(String transfers, Set<String> refused) {
        doorman.refuse(refused::contains);
        doorman.answerTogether(BATCH);
        TransferServiceTest.writeBySql(jdbc, transfers, BATCH);
        int good = BATCH - refused.size();
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> TransferServiceTest.count(jdbc, "PUBLISHED", transfers) == good
                        && new Journal(jdbc)
                                        .perStatement("FAILED", transfers + "-%").stream()
                                                .mapToInt(Integer::intValue)
                                                .sum()
                                >= refused.size());
        return new Journal(jdbc).perStatement("PUBLISHED", transfers + "-%").size();
    }
}
