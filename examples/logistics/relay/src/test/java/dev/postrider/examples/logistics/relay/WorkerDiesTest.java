package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class WorkerDiesTest {
    private static final Database DATABASE = Database.create("worker_dies");
    private static final Worker FIRST = Worker.of("first", "relay.yml", DATABASE, "dies-");
    private static final Worker SECOND = Worker.of("second", "relay.yml", DATABASE, "dies-");

    @AfterAll
    static void stopWorkers() {
        FIRST.close();
        SECOND.close();
    }

    @Test
    @Requirement("L3")
    void rowsOfAWorkerThatIsKilledAreSentByAnother() throws Exception {
        FIRST.start();
        // The topic is there and the worker knows it.
        DATABASE.insert("warm-up", "{}");
        awaitPublished(1);
        signal("STOP");
        try {
            for (int i = 0; i < 20; i++) {
                DATABASE.insert("held-" + i, "{}");
            }
            String held = "select count(*) from outbox_events where status = 'SENDING' and locked_by like 'first%'";
            await().atMost(Worker.PATIENCE).until(() -> DATABASE.count(held) == 20);
            FIRST.kill();
            SECOND.start();

            // Nobody helps: the second one finds out by itself.
            await().atMost(Worker.PATIENCE).until(() -> DATABASE.count(held) == 0);
        } finally {
            signal("CONT");
        }
        awaitPublished(21);
        assertThat(DATABASE.count("select count(*) from outbox_events where claims >= 2"))
                .isEqualTo(20);
        assertThat(SECOND.metric("outbox_stalled_recovered_count_total")).isGreaterThanOrEqualTo(20);
    }

    private static void awaitPublished(int events) {
        await().atMost(Worker.PATIENCE)
                .until(() ->
                        DATABASE.count("select count(*) from order_event_status where status = 'PUBLISHED'") == events);
    }

    /** A broker that is frozen answers nothing, and breaks no connection either. */
    private static void signal(String name) throws IOException, InterruptedException {
        String pid = Long.toString(Worker.KAFKA.pid(1));
        assertThat(new ProcessBuilder(List.of("kill", "-" + name, pid)).start().waitFor())
                .isZero();
    }
}
