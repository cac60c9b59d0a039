package dev.postrider.tests.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.InboxSchema;
import dev.postrider.OutboxLayout;
import dev.postrider.tests.support.ChildJvm;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Processes that end while their handlers work: before the commit of the work and its mark, and after it. */
@Tag(Torture.ALSO)
class KilledHandlerTest {
    private static final int ACCOUNTS = 4;
    private static final int EVENTS_OF_AN_ACCOUNT = 10;

    @TempDir
    private Path directory;

    private TestDatabase database;
    private Process process;

    @AfterEach
    void close() {
        if (process != null) {
            process.destroyForcibly();
        }
        database.close();
    }

    @ParameterizedTest
    @MethodSource("dev.postrider.tests.handler.HandlerRelayTest#outboxes")
    void workAndItsMarkCommitTogetherSoThatEachEffectHappensOnceAndInOrder(TestServer server, OutboxLayout layout)
            throws Exception {
        database = server == TestServer.POSTGRES ? TestDatabase.withOutbox(layout) : TestDatabase.withOutbox(server);
        InboxSchema.migrate(database.dataSource());
        database.execute("create table booking (n serial, account varchar(50), amount integer)");
        for (int n = 1; n <= EVENTS_OF_AN_ACCOUNT; n++) {
            for (int account = 1; account <= ACCOUNTS; account++) {
                insert(account, amount(account, n));
            }
        }

        int deaths = 0;
        process = start(deaths);
        while (booked() < ACCOUNTS * EVENTS_OF_AN_ACCOUNT) {
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> !process.isAlive() || booked() >= ACCOUNTS * EVENTS_OF_AN_ACCOUNT);
            if (!process.isAlive()) {
                deaths++;
                assertThat(deaths).as("deaths").isLessThanOrEqualTo(2);
                process = start(deaths);
            }
        }
        // Whatever is handled once more is handled before these.
        for (int account = 1; account <= ACCOUNTS; account++) {
            insert(account, EVENTS_OF_AN_ACCOUNT + 1);
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> booked() >= ACCOUNTS * (EVENTS_OF_AN_ACCOUNT + 1));

        assertThat(deaths).isEqualTo(2);
        for (int account = 1; account <= ACCOUNTS; account++) {
            assertThat(database.column(
                            "select amount from booking where account = 'account-" + account + "' order by n"))
                    .as("account %s", account)
                    .isEqualTo(amounts(account));
        }
        assertThat(database.one("select count(*) from inbox")).isEqualTo(String.valueOf(booked()));
        assertThat(database.one("select count(*) from outbox_dead_letter")).isEqualTo("0");
    }

    /** Two of the events end the process. */
    private static int amount(int account, int n) {
        if (n == 5 && account == 2) {
            return BookkeepingRelay.ENDS_BEFORE_COMMIT;
        }
        return n == 7 && account == 3 ? BookkeepingRelay.ENDS_AFTER_COMMIT : n;
    }

    private static List<String> amounts(int account) {
        return IntStream.rangeClosed(1, EVENTS_OF_AN_ACCOUNT + 1)
                .map(n -> amount(account, n))
                .mapToObj(Integer::toString)
                .toList();
    }

    private int booked() {
        return Integer.parseInt(database.one("select count(*) from booking"));
    }

    private void insert(int account, int amount) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.transfer.completed.v1', 'account', 'account-" + account + "', '" + amount + "')");
    }

    private Process start(int number) throws IOException {
        return ChildJvm.of(
                        BookkeepingRelay.class,
                        List.of("-Xmx128m"),
                        database.jdbcUrl(),
                        database.user(),
                        database.password(),
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("relay-" + number + ".out").toFile())
                .start();
    }
}
