package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.tests.support.ChildJvm;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Relay processes that are ended by what they send, or paused and woken up. */
@Tag(Torture.ALSO)
class DyingProcessTest {
    @TempDir
    private Path directory;

    private TestDatabase database;
    private final List<Process> processes = new ArrayList<>();

    static Stream<Arguments> layouts() {
        return Stream.of(
                        Arguments.of(TestServer.POSTGRES, OutboxLayout.claim()),
                        Arguments.of(TestServer.POSTGRES, OutboxLayout.log(2)),
                        Arguments.of(TestServer.MARIADB, OutboxLayout.claim()))
                .filter(each -> Torture.isOn() || each.get()[0] == TestServer.POSTGRES);
    }

    /** Of a log every build has the same without processes: {@code FenceTest}, {@code CarefulRelayTest}. */
    static Stream<Arguments> claimOrAll() {
        return layouts().limit(Torture.isOn() ? 3 : 1);
    }

    private void open(TestServer server, OutboxLayout layout) {
        database = server == TestServer.POSTGRES ? TestDatabase.withOutbox(layout) : TestDatabase.withOutbox(server);
        database.execute("create table delivered (n serial, body text, relay text)");
    }

    @AfterEach
    void close() {
        processes.forEach(Process::destroyForcibly);
        database.close();
    }

    @ParameterizedTest
    @MethodSource("claimOrAll")
    void eventThatEndsTheProcessBecomesADeadLetterAndItsNeighboursAreDelivered(TestServer server, OutboxLayout layout)
            throws Exception {
        open(server, layout);
        for (int n = 0; n < 120; n++) {
            insert("key-" + n % 10, n == 57 ? "\"halt\"" : Integer.toString(n));
        }

        int deaths = 0;
        Process relay = start("mortal");
        while (deadLetters() == 0) {
            Process current = relay;
            await().atMost(Duration.ofMinutes(1)).until(() -> !current.isAlive() || deadLetters() > 0);
            if (!relay.isAlive()) {
                deaths++;
                assertThat(deaths).as("deaths").isLessThan(10);
                relay = start("mortal-" + deaths);
            }
        }
        assertThat(database.one("select count(distinct body) from delivered where body not like '%7'"))
                .as("of other keys, when the event was given up")
                .isEqualTo("108");
        await().atMost(Duration.ofMinutes(1)).until(() -> unsent() == 0);

        assertThat(relay.isAlive()).isTrue();
        assertThat(database.one("select error_class || ' ' || payload from outbox_dead_letter"))
                .isEqualTo("process-death \"halt\"");
        assertThat(database.one("select count(distinct body) from delivered")).isEqualTo("119");
        assertThat(database.column("select body from delivered where body in ('47', '67', '77') order by n"))
                .as("the key of the dead letter, in order")
                .containsSubsequence("47", "67", "77");
        assertThat(database.one("select max(attempts) from outbox where status in ('PUBLISHED', 'LOG')"))
                .as("retries of the neighbours")
                .isEqualTo("0");
    }

    @ParameterizedTest
    @MethodSource("claimOrAll")
    void relayPausedPastItsLeaseRecordsNothingWhenItWakesUp(TestServer server, OutboxLayout layout) throws Exception {
        open(server, layout);
        insert("a", "\"slow\"");
        Path output = directory.resolve("zombie.out");
        Process zombie = start("zombie", output);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.readString(output).contains("waiting"));
        signal(zombie, "STOP");

        // The file is there from now on, so the heir delivers at once.
        Files.createFile(directory.resolve("answer"));
        start("heir");
        await().atMost(Duration.ofMinutes(1)).until(() -> unsent() == 0);
        String before = recorded();
        signal(zombie, "CONT");

        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.readString(output).contains("fenced 1"));
        assertThat(recorded()).isEqualTo(before);
        assertThat(database.column("select relay from delivered order by n")).startsWith("heir");
        insert("a", "\"next\"");
        await().atMost(Duration.ofMinutes(1)).until(() -> unsent() == 0);
        assertThat(zombie.isAlive()).as("it goes on under a new name").isTrue();
    }

    private Process start(String name) throws IOException {
        return start(name, directory.resolve(name + ".out"));
    }

    private Process start(String name, Path output) throws IOException {
        Process process = ChildJvm.of(
                        MortalRelay.class,
                        List.of("-Xmx128m"),
                        database.jdbcUrl(),
                        database.user(),
                        database.password(),
                        name,
                        directory.resolve("answer").toString(),
                        "64")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static void signal(Process process, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private void insert(String key, String body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "')");
    }

    private int deadLetters() {
        return Integer.parseInt(database.one("select count(*) from outbox_dead_letter"));
    }

    /** By rows or by the cursor, as the mode has it. */
    private int unsent() {
        if (database.server() == TestServer.MARIADB) {
            return Integer.parseInt(
                    database.one("select count(*) from outbox where status not in ('PUBLISHED', 'DEAD_LETTER')"));
        }
        return Integer.parseInt(database.one("""
                select (select count(*) from outbox where status not in ('PUBLISHED', 'DEAD_LETTER', 'LOG'))
                    + (select count(*) from outbox_parked)
                    + (select count(*) from outbox o
                       join lateral (select * from outbox_cursor c
                                     where c.shard = ((o.key_hash & 9223372036854775807) % 2)
                                     order by seq desc limit 1) c on true
                       where o.status = 'LOG' and not pg_visible_in_snapshot(o.tx_id, c.lo)
                         and not coalesce(pg_visible_in_snapshot(o.tx_id, c.hi) and o.id <= c.last_id, false))
                """));
    }

    private String recorded() {
        String rows = String.join("", database.column("select status || version || updated_at from outbox"));
        return database.server() == TestServer.MARIADB
                ? rows
                : rows
                        + database.one(
                                "select string_agg(c::text, '' order by shard, seq) from outbox_cursor c where not fence");
    }
}
