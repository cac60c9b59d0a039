package dev.postrider.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.examples.Requirement;
import dev.postrider.kafka.consume.ReceivedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.support.TransactionTemplate;

/** Two instances of the service with the same database. */
class SeveralInstancesTest extends TransferServiceTest {
    private static @Nullable Instance second;

    @Autowired
    TransactionTemplate transaction;

    @BeforeEach
    void startTheSecond() {
        if (second == null) {
            second = Instance.start(Servers.properties(NAME, url));
        }
    }

    @AfterAll
    static void stopTheSecond() {
        if (second != null) {
            second.close();
        }
    }

    @Test
    @Requirement("T7")
    void instancesShareTheWork() {
        AtomicInteger round = new AtomicInteger();
        await().atMost(PATIENCE).until(() -> {
            String transfers = "shared-" + round.incrementAndGet();
            writeBySql(jdbc, transfers, 1500);
            await().atMost(PATIENCE).until(() -> count(jdbc, "PUBLISHED", transfers) == 1500);
            return relaysThatTook(transfers) == 2;
        });

        assertThat(jdbc.sql(
                                "select distinct was from journal where status = 'SENDING' and aggregate_id like 'shared-%'")
                        .query(String.class)
                        .list())
                .describedAs("what was taken was nobody's")
                .containsExactly("PENDING");
    }

    private int relaysThatTook(String transfers) {
        return jdbc.sql("select count(distinct relay) from journal where status = 'SENDING' and aggregate_id like ?")
                .param(transfers + "-%")
                .query(Integer.class)
                .single();
    }

    @Test
    @Requirement("T7")
    void whatSomebodyElseHasLockedIsSkipped(@Autowired OutboxAdmin admin) {
        admin.pause("olga", "so that there is something to lock");
        writeBySql(jdbc, "locked", 10);
        transaction.executeWithoutResult(status -> {
            jdbc.sql(
                            "select id from transfer_events where aggregate_id in ('locked-2', 'locked-5', 'locked-7') for update")
                    .query(Long.class)
                    .list();
            admin.resume("olga");
            await().atMost(PATIENCE).until(() -> count(jdbc, "PUBLISHED", "locked") == 7);
            assertThat(count(jdbc, "PENDING", "locked")).isEqualTo(3);
        });
        await().atMost(PATIENCE).until(() -> count(jdbc, "PUBLISHED", "locked") == 10);
    }

    /** Whoever writes, and whichever instance delivers. */
    @Test
    @Requirement("T14")
    void eventsOfEachAggregateArriveInTheOrderOfTheirIds() throws Exception {
        int writers = 4;
        int eventsOfEach = 60;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<Future<?>> writing = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            String aggregate = "ordered-" + writer;
            writing.add(threads.submit(() -> {
                for (int i = 0; i < eventsOfEach; i++) {
                    jdbc.sql("""
                            insert into transfer_events (event_type, aggregate_type, aggregate_id, payload)
                            values ('TransferCompleted', 'Transfer', ?, '{}')
                            """).param(aggregate).update();
                }
            }));
        }
        for (Future<?> each : writing) {
            each.get();
        }
        threads.shutdown();

        for (int writer = 0; writer < writers; writer++) {
            String aggregate = "ordered-" + writer;
            List<ReceivedEvent> arrived = awaitArrived(aggregate, eventsOfEach);
            assertThat(arrived.stream().map(ReceivedEvent::id).distinct())
                    .isEqualTo(jdbc.sql("select event_id::text from transfer_events where aggregate_id = ? order by id")
                            .param(aggregate)
                            .query(String.class)
                            .list());
        }
    }
}
