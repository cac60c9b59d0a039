package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.postrider.examples.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * One outage for both readings: with relay.yml nothing dies of it, with relay-literal.yml the schedule runs out. Waits are a
 * quarter of those in the files, which {@link FiguresTest} checks.
 */
class KafkaDownTest {
    private static final List<Integer> SCHEDULE_MS = List.of(250, 500, 1000, 2000, 4000);
    private static final Database PATIENT = Database.create("patient");
    private static final Database STRICT = Database.create("strict");
    private static final List<String> ALERTS = new CopyOnWriteArrayList<>();

    private static HttpServer operations;
    private static Worker patient;
    private static Worker strict;

    @BeforeAll
    static void start() throws IOException {
        operations = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        operations.createContext("/alerts", exchange -> {
            ALERTS.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        operations.start();
        for (Database database : List.of(PATIENT, STRICT)) {
            database.run("create table sends (event uuid, failures integer, at timestamptz)");
            database.run("""
                    create function note_send() returns trigger language plpgsql as $$
                    begin
                        insert into sends (event, failures, at) values (new.event_id, new.attempts, clock_timestamp());
                        return null;
                    end $$
                    """);
            database.run("""
                    create trigger note_send after update on outbox_events for each row
                    when (new.status = 'SENDING' and old.status <> 'SENDING') execute function note_send()
                    """);
        }
        patient = Worker.of("patient", "relay.yml", PATIENT, "patient-")
                // An outage is noticed, and its end too, within the patience of a test.
                .with(
                        "POSTRIDER_KAFKA_PROPERTIES",
                        "delivery.timeout.ms=500,request.timeout.ms=400,max.block.ms=500,linger.ms=0")
                .with("POSTRIDER_RELAY_CIRCUIT_OPEN_FOR", "200ms")
                .with("POSTRIDER_RELAY_RETRY_BASE", "250ms")
                .start();
        strict = Worker.of("strict", "relay-literal.yml", STRICT, "strict-")
                .with("POSTRIDER_RELAY_RETRY_BASE", "250ms")
                .with(
                        "POSTRIDER_ALERTS_WEBHOOK_URL",
                        "http://127.0.0.1:" + operations.getAddress().getPort() + "/alerts")
                .start();
    }

    @AfterAll
    static void stop() {
        Worker.KAFKA.start(1);
        patient.close();
        strict.close();
        operations.stop(0);
    }

    @Test
    @Requirement({"L4", "L6"})
    void outageKillsNothingUnlessItCounts() throws Exception {
        awaitWorking(PATIENT);
        awaitWorking(STRICT);

        Worker.KAFKA.kill();
        UUID survivor = PATIENT.insert("survivor", "{}");
        UUID victim = STRICT.insert("victim", "{}");

        await().atMost(Worker.PATIENCE).until(() -> STRICT.statusOf(victim).equals("FAILED"));
        assertThat(STRICT.ask("select retry_count from order_event_status where message_id = ?::uuid", victim))
                .describedAs("failed sends")
                .isEqualTo("6");
        // On a busy machine the worker may lose its lease and send again what it had not recorded: the first time
        // counts.
        List<String> waits = STRICT.list("""
                select floor(extract(epoch from (lead(min(at)) over (order by failures) - min(at))) * 1000)::int
                from sends where event = ?::uuid group by failures order by failures
                """, victim);
        assertThat(waits).describedAs("waits, and none after the last send").hasSize(6);
        for (int i = 0; i < 5; i++) {
            assertThat(Integer.parseInt(String.valueOf(waits.get(i))))
                    .describedAs("wait %d of %s", i, waits)
                    .isGreaterThanOrEqualTo(SCHEDULE_MS.get(i));
        }
        await().atMost(Worker.PATIENCE)
                .untilAsserted(() -> assertThat(ALERTS)
                        .anySatisfy(alert -> assertThat(alert).contains("\"dead-letter\"", rowId(victim))));
        assertThat(strict.errors()).anySatisfy(line -> assertThat(line).contains(victim.toString()));
        assertThat(strict.metric("outbox_failure_count_total")).isGreaterThanOrEqualTo(6);

        // It has been down for longer than the schedule of the other one, too.
        assertThat(PATIENT.statusOf(survivor)).isEqualTo("PENDING");
        assertThat(PATIENT.ask("select retry_count from order_event_status where message_id = ?::uuid", survivor))
                .isEqualTo("0");
        await().atMost(Worker.PATIENCE).until(() -> patient.metric("outbox_pending_count") == 1);

        Worker.KAFKA.start(1);
        await().atMost(Worker.PATIENCE).until(() -> PATIENT.statusOf(survivor).equals("PUBLISHED"));
        try (Topic topic = new Topic("patient-order-events")) {
            await().atMost(Worker.PATIENCE).until(() -> topic.of("survivor").size() >= 1);
        }
    }

    /** Until an event is sent. On a busy machine some events of the strict worker may die before. */
    private static void awaitWorking(Database database) {
        UUID[] latest = {database.insert("warm-up", "{}")};
        await().atMost(Worker.PATIENCE).until(() -> {
            String status = database.statusOf(latest[0]);
            if (status.equals("FAILED")) {
                latest[0] = database.insert("warm-up", "{}");
            }
            return status.equals("PUBLISHED");
        });
    }

    private static String rowId(UUID event) {
        return "\"" + STRICT.ask("select id from outbox_events where event_id = ?::uuid", event) + "\"";
    }
}
