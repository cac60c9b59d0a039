package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.examples.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Transfers that are refused. */
class RetriesTest extends ShortenedFiguresTest {

    @Test
    @Requirement({"T4", "T8"})
    void refusedEventIsSentFiveMoreTimesEachAfterTwiceTheTimeAndIsDeadThen() {
        Transfer poison = die();

        Journal journal = new Journal(jdbc);
        List<String> expected = new ArrayList<>(List.of("PENDING SENDING"));
        for (int i = 0; i < 5; i++) {
            expected.addAll(List.of("SENDING FAILED", "FAILED SENDING"));
        }
        expected.add("SENDING DEAD_LETTER");
        assertThat(journal.of(poison.id()))
                .extracting(step -> step.was() + " " + step.status())
                .isEqualTo(expected);
        assertThat(EventRow.of(jdbc, poison.id()).attemptCount()).isEqualTo(6);
        Schedule.assertWaits(journal.waitsOf(poison.id()), 100, 200, 400, 800, 1600);
        Schedule.assertNothingWasSentEarly(journal.of(poison.id()));
    }

    /** An event may have more retries of its own. */
    @Test
    @Requirement("T8")
    void noWaitIsLongerThanTheLongest() {
        doorman.refuse(transfer -> transfer.equals("patient"));
        jdbc.sql("""
                insert into transfer_events (event_type, aggregate_type, aggregate_id, payload, max_retries)
                values ('TransferCompleted', 'Transfer', 'patient', '{}', 6)
                """).update();

        awaitStatus("patient", "DEAD_LETTER");

        Schedule.assertWaits(new Journal(jdbc).waitsOf("patient"), 100, 200, 400, 800, 1600, 2000);
    }

    @Test
    @Requirement("T9")
    void operationsAreToldTheIdOfADeadEvent() {
        EventRow dead = EventRow.of(jdbc, die().id());

        await().atMost(TransferServiceTest.PATIENCE).until(() -> OPERATIONS.knowsOfDeathOf(dead));
    }

    @Test
    @Requirement("T4")
    void deadEventWaitsForAPerson(@Autowired OutboxAdmin admin) {
        Transfer poison = die();
        doorman.refuse(transfer -> false);
        // A later event is delivered, so relays have looked meanwhile.
        TransferServiceTest.writeBySql(jdbc, "later", 1);
        awaitStatus("later-1", "PUBLISHED");
        assertThat(EventRow.of(jdbc, poison.id()).status()).isEqualTo("DEAD_LETTER");

        admin.retry(
                DeadLetterSelection.ofIds(List.of(EventRow.of(jdbc, poison.id()).id())), "olga");

        awaitStatus(poison.id(), "PUBLISHED");
    }
}
