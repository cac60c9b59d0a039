package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids are drawn anew, or out of order, under relays that remember where they were. */
class BackwardIdsTest {
    private static final int BEFORE = 300;

    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();
    private LogOutbox outbox;

    @BeforeEach
    void open() {
        outbox = new LogOutbox(2);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "truncate outbox restart identity",
                "delete from outbox; alter sequence outbox_id_seq restart",
                "delete from outbox; select setval('outbox_id_seq', 7)",
                "delete from outbox; alter sequence outbox_id_seq restart with 5 increment by 3"
            })
    void eventsWithIdsThatAreDrawnAgainUnderALivingRelayAreDelivered(String backwards) {
        outbox.start(publisher);
        deliverTheFirst();

        outbox.database().execute(backwards);
        insertOneByOne(BEFORE + 1, BEFORE + 11);

        await().until(() -> deliveredUpTo(BEFORE + 11));
    }

    @Test
    void idsThatHaveOvertakenTheOldOnesBeforeAnybodyLookedAreNoticed() {
        outbox.start(publisher);
        deliverTheFirst();

        outbox.database()
                .execute("begin; truncate outbox restart identity;"
                        + " insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " select 'acme.a.b.v1', 'a', 'key-' || n % 7, n::text::json"
                        + " from generate_series(" + (BEFORE + 1) + ", " + (3 * BEFORE) + ") n; commit");

        await().until(() -> deliveredUpTo(3 * BEFORE));
    }

    @Test
    void whoeverTakesTheShardsOverDoesNotTrustFloorsOfBefore() {
        Relay first = outbox.start(publisher);
        deliverTheFirst();
        first.stop();

        outbox.database().execute("truncate outbox restart identity");
        insertOneByOne(BEFORE + 1, BEFORE + 11);
        assertThat(outbox.ahead()).as("and neither does status").isEqualTo(11);
        outbox.start(publisher, LogOutbox.settings("second"));

        await().until(() -> deliveredUpTo(BEFORE + 11));
    }

    @Test
    void sequenceThatGetsACacheIsRefusedByALivingRelayAndNothingIsLost() throws SQLException {
        outbox.start(publisher);
        deliverTheFirst();

        outbox.database().execute("alter sequence outbox_id_seq cache 20");
        try (Connection one = outbox.database().dataSource().getConnection();
                Connection other = outbox.database().dataSource().getConnection()) {
            for (int body = BEFORE + 1; body <= BEFORE + 11; body++) {
                try (Statement insert = (body % 2 == 0 ? one : other).createStatement()) {
                    insert.execute(LogOutbox.insertion("key-" + body, Integer.toString(body)));
                }
            }
        }
        await("it waits for the sequence to be repaired").until(() -> outbox.ahead() > 0);
        outbox.database().execute("alter sequence outbox_id_seq cache 1");
        insertOneByOne(BEFORE + 12, BEFORE + 13);

        await().until(() -> deliveredUpTo(BEFORE + 13));
    }

    @Test
    void eventsBesideTheLogAreNotMistakenForNewOnesWithTheirIds() {
        RecordingPublisher failing =
                RecordingPublisher.answering(event -> event.aggregateId().startsWith("bad")
                        ? new PublishResult.Rejected("not now", false)
                        : new PublishResult.Accepted());
        Relay first = outbox.start(failing, settings("first"));
        outbox.insert("bad-1", 1);
        outbox.insert("bad-2", 2);
        await().until(() -> outbox.parked() == 2);
        outbox.database().execute("truncate outbox restart identity");
        outbox.insert("bad-3", 3);
        outbox.insert("bad-4", 4);
        await("those have the same ids").until(() -> outbox.parked() == 4);
        first.stop();

        outbox.start(publisher, settings("second"));

        await().until(() -> deliveredUpTo(4));
        await().until(outbox::isDone);
    }

    @Test
    void deadLettersOfBeforeDoNotHideThoseOfNewEventsWithTheirIds() {
        RecordingPublisher refusing = RecordingPublisher.answering(event -> new PublishResult.Rejected("never", true));
        outbox.start(refusing, settings("relay"));
        outbox.insert("a", 1, 2);
        await().until(() -> letters().equals(List.of("1", "2")));

        outbox.database().execute("truncate outbox restart identity");
        outbox.insert("a", 3, 4);

        await().until(() -> letters().equals(List.of("1", "2", "3", "4")));
    }

    @ParameterizedTest
    @CsvSource({
        "status, PENDING",
        "status, PUBLISHED",
        "status, DEAD_LETTER",
        "tx_id, 3",
        "tx_id, 700",
        "tx_id, 999999999999",
        "id, 1000000"
    })
    void rowThatSaysMoreOfItselfThanItShouldIsDeliveredAndSoAreThoseAfterIt(String column, String value) {
        outbox.start(publisher);
        deliverTheFirst();

        outbox.database()
                .execute("insert into outbox (" + column + ", event_type, aggregate_type, aggregate_id, payload)"
                        + " overriding system value values ('" + value + "', 'acme.a.b.v1', 'a', 'a', '" + (BEFORE + 1)
                        + "')");
        insertOneByOne(BEFORE + 2, BEFORE + 3);

        await().until(() -> deliveredUpTo(BEFORE + 3));
        await().until(outbox::isDone);
    }

    private static RelaySettings.Builder settings(String name) {
        return LogOutbox.settings(name);
    }

    private List<String> letters() {
        return outbox.database().column("select payload::text from outbox_dead_letter order by payload::text");
    }

    /** And wait until their floors are recorded. */
    private void deliverTheFirst() {
        insertOneByOne(1, BEFORE);
        await().until(() -> deliveredUpTo(BEFORE) && outbox.isDone());
    }

    private void insertOneByOne(int from, int to) {
        IntStream.rangeClosed(from, to).forEach(body -> outbox.insert("key-" + body % 7, body));
    }

    private boolean deliveredUpTo(int last) {
        int[] bodies = publisher.acceptedBodies().stream()
                .mapToInt(Integer::parseInt)
                .distinct()
                .sorted()
                .toArray();
        return Arrays.equals(bodies, IntStream.rangeClosed(1, last).toArray());
    }
}
