package dev.postrider.bench.contender.debezium;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The outbox table, in the shape the event router documents, with the publication and the replication slot through which
 * the engine reads it. Slots belong to the whole server, so this one carries the name of its database.
 */
final class Slot {
    static final String TABLE = "public.outbox";
    static final String PUBLICATION = "bench_debezium";

    /**
     * Without a primary key, as documented. With one, a third of the samples of Debezium's reading thread were in printing
     * each row's key for its metrics, which nothing turns off.
     */
    private static final String CREATE_TABLE = """
            create table if not exists outbox (
                id             uuid not null,
                aggregatetype  varchar(255) not null,
                aggregateid    varchar(255) not null,
                type           varchar(255) not null,
                payload        text
            )
            """;

    private static final String DROP_PUBLICATION = "drop publication if exists " + PUBLICATION;

    private static final String CREATE_PUBLICATION =
            "create publication " + PUBLICATION + " for table outbox with (publish = 'insert')";

    private static final String CREATE_SLOT = "select pg_create_logical_replication_slot(?, 'pgoutput')";

    private static final String EXISTS = "select 1 from pg_replication_slots where slot_name = ?";

    private static final String IS_READ = EXISTS + " and active";

    private static final String DROP_IF_IDLE =
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ? and not active";

    private static final Duration IDLE_LIMIT = Duration.ofSeconds(20);

    private final DataSource dataSource;
    private final String name;

    Slot(DataSource dataSource, String database) {
        this.dataSource = dataSource;
        this.name = "bench_" + database;
    }

    String name() {
        return name;
    }

    /** Unless another process has done so. */
    void create() throws SQLException {
        if (returnsRow(EXISTS)) {
            return;
        }
        execute(CREATE_TABLE);
        execute(DROP_PUBLICATION);
        execute(CREATE_PUBLICATION);
        returnsRow(CREATE_SLOT);
    }

    /** Whether an engine is streaming from it. */
    boolean isRead() throws SQLException {
        return returnsRow(IS_READ);
    }

    /** The server notices a moment later that an engine has gone. */
    void awaitIdle() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + IDLE_LIMIT.toNanos();
        while (isRead() && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
    }

    /** A slot that nobody reads holds back WAL for ever. One that another process still reads is dropped by that one. */
    void drop() throws SQLException {
        if (returnsRow(DROP_IF_IDLE)) {
            execute(DROP_PUBLICATION);
        }
    }

    private boolean returnsRow(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
