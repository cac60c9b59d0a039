package dev.postrider.internal.store.postgres.wal;

import dev.postrider.OutboxStatus;
import dev.postrider.OutboxTable;
import dev.postrider.Replication;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.Bell;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.jdbc.WalStream;
import java.sql.Connection;
import java.sql.SQLException;

/** PostgreSQL's logical replication, as bells use it. */
public final class PostgresWalStream implements WalStream {
    private final OutboxTable table;
    private final OutboxStore store;
    private final WalSql sql;

    public PostgresWalStream(OutboxTable table, OutboxStore store) {
        this.table = table;
        this.store = store;
        this.sql = new WalSql(table);
    }

    @Override
    public boolean publish(Connection connection) throws SQLException {
        return sql.publish(connection);
    }

    @Override
    public boolean unpublish(Connection connection) throws SQLException {
        return sql.unpublish(connection);
    }

    @Override
    public OutboxStatus.Stream status(Connection connection) throws SQLException {
        return sql.look(connection).status();
    }

    @Override
    public void tryConnection(Replication replication) throws SQLException {
        InsertStream.tryConnection(replication);
    }

    @Override
    public Bell start(Ringer ringer, RelaySession session) {
        return PostgresBell.start(table, store, sql, ringer, session);
    }
}
