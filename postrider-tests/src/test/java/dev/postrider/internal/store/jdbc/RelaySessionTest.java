package dev.postrider.internal.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxTable;
import dev.postrider.internal.lifecycle.Progress;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.support.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long a session waits for answers: for slow work longer each time, for everything else as at first. */
class RelaySessionTest {
    private static final int USUAL = 1_000;

    private TestDatabase database;
    private RelaySession session;

    /** How long the next statement takes, in seconds. */
    private double slow;

    /** Tells how long it would have been waited for. */
    private final RelaySession.Work<Integer> work = connection -> {
        int atMost = connection.getNetworkTimeout();
        try (Statement statement = connection.createStatement()) {
            statement.execute("select pg_sleep(" + slow + ")");
        }
        return atMost;
    };

    @BeforeEach
    void open() throws SQLException {
        database = TestDatabase.withOutbox();
        try (var connection = database.dataSource().getConnection()) {
            session = new RelaySession(
                    database.dataSource(),
                    Databases.of(connection).outboxStore(OutboxTable.DEFAULT),
                    Duration.ofSeconds(5),
                    Duration.ofMillis(USUAL),
                    new Progress());
        }
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
    }

    @Test
    void workThatTakesItsTimeIsWaitedForLongerUntilItIsDone() throws SQLException {
        slow = 2.5;
        assertThatThrownBy(() -> session.call(work)).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> session.call(work)).isInstanceOf(SQLException.class);

        assertThat(session.call(work)).isEqualTo(4 * USUAL);
        assertThat(session.call(work)).as("it may take as long again").isEqualTo(4 * USUAL);
    }

    @Test
    void afterASilenceEverythingIsWaitedForAsBefore() throws SQLException {
        slow = 60;
        assertThatThrownBy(() -> session.call(work)).isInstanceOf(SQLException.class);
        int other = session.call(connection -> connection.getNetworkTimeout());
        slow = 0;
        session.call(work);

        assertThat(other).as("other work").isEqualTo(USUAL);
        assertThat(session.call(work)).as("the same work").isEqualTo(USUAL);
    }
}
