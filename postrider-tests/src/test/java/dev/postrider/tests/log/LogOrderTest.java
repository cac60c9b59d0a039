package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.testing.RecordingPublisher;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions that end in another order than they began. */
class LogOrderTest {
    private static final Duration LEFT_OPEN = Duration.ofSeconds(3);

    private LogOutbox outbox;

    @BeforeEach
    void open() {
        outbox = new LogOutbox(4);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void eventCommittedBeforeTheNextWasWrittenComesFirstWhateverABystanderDoes() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Connection second = outbox.database().transaction();
                Connection bystander = outbox.database().transaction();
                Connection first = outbox.database().transaction()) {
            takeNumber(second);
            takeNumber(bystander);
            execute(first, LogOutbox.insertion("a", "1"));
            first.commit();
            execute(second, LogOutbox.insertion("a", "2"));
            second.commit();
            assertThat(outbox.database().column("select payload from outbox order by tx_id::text::bigint"))
                    .as("by the numbers of their transactions the second would be first")
                    .containsExactly("2", "1");

            outbox.start(publisher);

            await().untilAsserted(() -> assertThat(publisher.acceptedBodies()).containsExactly("1", "2"));
            bystander.rollback();
        }
    }

    @Test
    void transactionLeftOpenDelaysNothingButItsOwnEvents() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        outbox.start(publisher);
        int others = 0;
        try (Connection left = outbox.database().transaction()) {
            execute(left, LogOutbox.insertion("a", "-1"));
            int pid = pid(left);
            long opened = System.nanoTime();

            do {
                outbox.insert("a", ++others);
                int expected = others;
                await().until(() -> publisher.accepted().size() == expected);
            } while (System.nanoTime() - opened < LEFT_OPEN.toNanos());

            assertThat(publisher.acceptedBodies()).doesNotContain("-1").hasSize(others);
            assertThat(openTransactions())
                    .extracting(OutboxStatus.OpenTransaction::pid)
                    .contains(pid);
            await().until(() -> outbox.ahead() == 0);
            left.commit();
        }
        int all = others + 1;
        await().until(() -> publisher.accepted().size() == all);
        assertThat(publisher.acceptedBodies().get(others)).isEqualTo("-1");
        await().untilAsserted(() -> assertThat(openTransactions()).isEmpty());
    }

    @Test
    void eventsOfATransactionThatIsRolledBackAreNeverSeen() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        outbox.start(publisher);
        try (Connection undone = outbox.database().transaction()) {
            execute(undone, LogOutbox.insertion("a", "1"));
            outbox.insert("a", 2);
            await().until(() -> publisher.accepted().size() == 1);
            undone.rollback();
        }
        outbox.insert("a", 3);

        await().until(() -> publisher.accepted().size() == 2);
        assertThat(publisher.acceptedBodies()).containsExactly("2", "3");
    }

    @Test
    void eventsOfManyOverlappingTransactionsComeOnceEachAcrossWindows() throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        outbox.start(publisher, LogOutbox.settings("relay").batchSize(3));
        List<Connection> open = List.of(
                outbox.database().transaction(),
                outbox.database().transaction(),
                outbox.database().transaction());
        int body = 0;
        for (int round = 0; round < 20; round++) {
            for (Connection connection : open) {
                execute(connection, LogOutbox.insertion("key-" + body % 3, Integer.toString(body++)));
            }
            // The oldest ends last: the next round begins while it is open.
            open.get((round + 1) % 3).commit();
            int committedAtLeast = Math.max(0, body - 9);
            await().until(() -> publisher.accepted().size() >= committedAtLeast);
        }
        for (Connection connection : open) {
            connection.commit();
            connection.close();
        }
        int all = body;

        await().until(() -> publisher.accepted().size() >= all && outbox.isDone());
        assertThat(publisher.acceptedBodies()).hasSize(all).doesNotHaveDuplicates();
    }

    private List<OutboxStatus.OpenTransaction> openTransactions() throws SQLException {
        try (Connection connection = outbox.database().dataSource().getConnection()) {
            return Databases.of(connection)
                    .outboxStore(OutboxTable.DEFAULT)
                    .statusStore(connection)
                    .status(connection)
                    .openTransactions();
        }
    }

    private static void takeNumber(Connection connection) throws SQLException {
        execute(connection, "select pg_current_xact_id()");
    }

    private static int pid(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
