package dev.postrider.internal.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which closed keys a relay looks at. Each has a failed event, and one that waits behind it. */
class ClosedKeysWalkTest {
    private static final int MANY = ClosedKeys.FEW * 7 / 2;

    private final AtomicLong clock = new AtomicLong();
    private TestDatabase database;
    private Connection connection;
    private OutboxStore store;
    private ClosedKeys closedKeys;

    @BeforeEach
    void start() throws SQLException {
        database = TestDatabase.withOutbox();
        connection = database.dataSource().getConnection();
        store = Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        store.prepareRelaySession(connection);
        closedKeys = closedKeys(clock::get);
    }

    private ClosedKeys closedKeys(LongSupplier clock) {
        RelaySettings settings = RelaySettings.builder().build();
        DeadLetters deadLetters = new DeadLetters("relay", store, settings.deadLetters(), new RelayListener() {});
        return new ClosedKeys(new RowByRow(store, settings, deadLetters), clock);
    }

    @AfterEach
    void stop() throws SQLException {
        store.restoreSession(connection);
        connection.close();
        database.close();
    }

    @Test
    void fewAreAllLookedAtEachTime() throws SQLException {
        List<Long> keys = close(ClosedKeys.FEW - 1);
        assertThat(release()).isZero();
        open(keys.get(0), keys.get(500), keys.get(ClosedKeys.FEW - 2));
        assertThat(closedKeys.release(connection, 2)).as("up to the limit").isEqualTo(2);
        assertThat(release()).isEqualTo(1);
        open(keys.get(1), keys.get(ClosedKeys.FEW - 3));
        assertThat(release()).isEqualTo(2);
    }

    @Test
    void ofManyThoseAreLookedAtWhichHaveChangedAndTheOthersInTurn() throws SQLException {
        List<Long> keys = close(MANY);
        long last = keys.get(MANY - 1);
        open(last, keys.get(MANY - 2));
        assertThat(release()).as("the first part of the walk").isZero();

        closedKeys.changed(List.of(last, 17L));
        assertThat(release()).as("one that has changed").isEqualTo(1);

        open(keys.get(3));
        assertThat(release()).as("the walk's last part").isEqualTo(1);
        assertThat(release()).as("the walk begins again").isEqualTo(1);
        assertThat(database.one("select count(*) from outbox where status = 'HELD'"))
                .isEqualTo(String.valueOf(MANY - 3));
    }

    @Test
    void whatIsLeftOfAKeyThatHasChangedIsLookedAtAgain() throws SQLException {
        List<Long> keys = close(MANY);
        long last = keys.get(MANY - 1);
        assertThat(release()).isZero();
        open(last, keys.get(MANY - 2));
        closedKeys.changed(List.of(last, keys.get(MANY - 2)));

        assertThat(closedKeys.release(connection, 1)).isEqualTo(1);
        assertThat(closedKeys.release(connection, 1)).isEqualTo(1);
    }

    @Test
    void stepThatTakesLongIsFollowedByAShorterOne() throws SQLException {
        List<Long> keys = close(MANY);
        closedKeys = closedKeys(() -> clock.addAndGet(1_000_000_000));
        open(keys.get(MANY - 1));
        assertThat(List.of(release(), release(), release(), release()))
                .as("a thousand at a time")
                .containsExactly(0, 0, 0, 1);
    }

    private int release() throws SQLException {
        return closedKeys.release(connection, 5_000);
    }

    /** In the order of the walk. */
    private List<Long> close(int keys) {
        database.execute(
                "insert into outbox (event_type, aggregate_type, aggregate_id, payload, status, next_attempt_at)"
                        + " select 'acme.order.paid.v1', 'order', (n % " + keys + ")::text, '{}',"
                        + " case when n <= " + keys + " then 'FAILED' else 'HELD' end,"
                        + " case when n <= " + keys + " then now() + interval '1 hour' end"
                        + " from generate_series(1, 2 * " + keys + ") n");
        return database.column("select distinct key_hash from outbox order by 1").stream()
                .map(Long::valueOf)
                .toList();
    }

    /** As another relay does, or an operator. */
    private void open(long... keys) {
        for (long key : keys) {
            database.execute("update outbox set status = 'PUBLISHED' where status = 'FAILED' and key_hash = " + key);
        }
    }
}
