package dev.postrider.spring.test;

import dev.postrider.CurrentTransaction;
import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import dev.postrider.internal.spring.relay.OutboxTables;
import dev.postrider.internal.spring.transaction.OutboxDataSource;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.WrittenRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the running test has written to the outbox, in whatever way, delivered or not, in the order of writing. It is read from
 * the outbox's table: in a transaction what that has written, committed or not, and what others have committed; outside of one
 * what was committed. Of a transaction that was rolled back there is nothing.
 *
 * <pre>{@code
 * @Autowired
 * WrittenEvents written;
 *
 * assertThat(written.single(OrderPlaced.class)).isEqualTo(new OrderPlaced("o-1", 4200));
 * }</pre>
 */
public final class WrittenEvents extends ObservedEvents {
    private final OutboxDataSource dataSource;
    private final CurrentTransaction transaction;
    private final OutboxTables tables;

    /** The last row that was there before the test. */
    private volatile long before;

    WrittenEvents(OutboxDataSource dataSource, CurrentTransaction transaction, OutboxTables tables, JsonMapper json) {
        super(json);
        this.dataSource = dataSource;
        this.transaction = transaction;
        this.tables = tables;
    }

    @Override
    public List<OutboxEvent> all() {
        return query((rows, connection) -> rows.after(connection, before));
    }

    /** What is there now is none of the next test's. */
    void beginTest() {
        before = tables.areMissing() ? 0 : query(WrittenRows::last);
    }

    private interface Query<T> {
        T ask(WrittenRows rows, Connection connection) throws SQLException;
    }

    private <T> T query(Query<T> query) {
        try {
            Connection current = current();
            if (current != null) {
                return query.ask(rows(current), current);
            }
            try (Connection own = dataSource.bean().getConnection()) {
                return query.ask(rows(own), own);
            }
        } catch (SQLException e) {
            throw new PostriderException("Outbox " + tables.table() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private WrittenRows rows(Connection connection) throws SQLException {
        return new WrittenRows(Databases.of(connection), tables.table());
    }

    /** Null in a transaction that cannot have written events, and outside of one. */
    private @Nullable Connection current() {
        try {
            return transaction.connection();
        } catch (PostriderException e) {
            return null;
        }
    }
}
