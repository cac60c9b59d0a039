package dev.postrider.cli.demo;

import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.internal.write.UuidV7;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.postgresql.PGConnection;

/** Writers that do everything a database lets them do, on few keys, and tell a proof of it. */
final class RandomWriters {
    private static final int WRITERS = 6;
    private static final int KEYS = 5;

    private final TestDatabase database;
    private final DeliveryProof proof;
    private final long seed;
    private final Outbox outbox = Outbox.builder().build();
    private final AtomicLong transactions = new AtomicLong();
    private final AtomicInteger prepared = new AtomicInteger();

    RandomWriters(TestDatabase database, DeliveryProof proof, long seed) {
        this.database = database;
        this.proof = proof;
        this.seed = seed;
    }

    /** Each of several writers makes so many transactions, at the same time as the others. */
    List<CompletableFuture<Void>> start(int transactionsEach) {
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            Random random = new Random(seed + i);
            writers.add(CompletableFuture.runAsync(
                    () -> writeRandomly(random, transactionsEach), task -> new Thread(task).start()));
        }
        return writers;
    }

    private void writeRandomly(Random random, int count) {
        try (Connection connection = database.transaction()) {
            for (int i = 0; i < count; i++) {
                connection.setTransactionIsolation(
                        switch (random.nextInt(6)) {
                            case 0 -> Connection.TRANSACTION_REPEATABLE_READ;
                            case 1 -> Connection.TRANSACTION_SERIALIZABLE;
                            default -> Connection.TRANSACTION_READ_COMMITTED;
                        });
                writeTransaction(connection, random);
            }
        } catch (SQLException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private void writeTransaction(Connection connection, Random random) throws SQLException, IOException {
        long tx = transactions.incrementAndGet();
        if (random.nextBoolean()) {
            // A transaction number, or a snapshot, long before the event is written.
            execute(connection, isPostgres() ? "select pg_current_xact_id()" : "select count(*) from outbox_settings");
            dawdle(connection, random);
        }
        int index = 0;
        for (int part = 0; part <= random.nextInt(3); part++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> index = insertOne(connection, random, tx, index);
                case 2 -> index = insertRows(connection, random, tx, index);
                case 3 ->
                    index = isPostgres()
                            ? copy(connection, random, tx, index)
                            : insertRows(connection, random, tx, index);
                default -> insertAndTakeBack(connection, random);
            }
            dawdle(connection, random);
        }
        end(connection, random, tx, index > 0);
    }

    private int insertOne(Connection connection, Random random, long tx, int index) throws SQLException {
        OutboxEvent event = event(random);
        proof.written(event.id(), event.messageKey(), System.nanoTime(), tx, index);
        outbox.write(connection, event);
        return index + 1;
    }

    private int insertRows(Connection connection, Random random, long tx, int index) throws SQLException {
        int next = index;
        List<String> rows = new ArrayList<>();
        long began = System.nanoTime();
        for (int i = 0; i <= random.nextInt(4); i++) {
            OutboxEvent event = event(random);
            proof.written(event.id(), event.messageKey(), began, tx, next++);
            rows.add("('" + event.id() + "', '" + event.type() + "', 'account', '" + event.aggregateId() + "', '{}')");
        }
        execute(
                connection,
                "insert into outbox (event_id, event_type, aggregate_type, aggregate_id, payload) values "
                        + String.join(", ", rows));
        return next;
    }

    private int copy(Connection connection, Random random, long tx, int index) throws SQLException, IOException {
        int next = index;
        StringBuilder rows = new StringBuilder();
        long began = System.nanoTime();
        for (int i = 0; i <= random.nextInt(4); i++) {
            OutboxEvent event = event(random);
            proof.written(event.id(), event.messageKey(), began, tx, next++);
            rows.append(event.id() + "\t" + event.type() + "\taccount\t" + event.aggregateId() + "\t{}\n");
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "copy outbox (event_id, event_type, aggregate_type, aggregate_id, payload) from stdin",
                        new StringReader(rows.toString()));
        return next;
    }

    /** Written behind a savepoint and rolled back to it: must never be seen, though the transaction commits. */
    private void insertAndTakeBack(Connection connection, Random random) throws SQLException {
        long tx = transactions.incrementAndGet();
        Savepoint savepoint = connection.setSavepoint();
        insertOne(connection, random, tx, 0);
        connection.rollback(savepoint);
        proof.rolledBack(tx);
    }

    private void end(Connection connection, Random random, long tx, boolean wrote) throws SQLException {
        int how = random.nextInt(10);
        boolean commit = how != 0 && how != 1;
        if (isPostgres() && (how == 1 || how == 2)) {
            String name = "prepared-" + prepared.incrementAndGet();
            execute(connection, "prepare transaction '" + name + "'");
            connection.rollback();
            connection.setAutoCommit(true);
            execute(connection, (commit ? "commit" : "rollback") + " prepared '" + name + "'");
            connection.setAutoCommit(false);
        } else if (commit) {
            connection.commit();
        } else {
            connection.rollback();
        }
        if (wrote && commit) {
            proof.committed(tx, System.nanoTime());
        } else if (wrote) {
            proof.rolledBack(tx);
        }
    }

    /** Lets others overtake: the server, not this thread, takes its time. */
    private void dawdle(Connection connection, Random random) throws SQLException {
        if (random.nextInt(3) == 0) {
            execute(connection, sleep(random.nextInt(30) / 1000.0));
        }
    }

    private String sleep(double seconds) {
        return "select " + (isPostgres() ? "pg_sleep(" : "sleep(") + seconds + ")";
    }

    private boolean isPostgres() {
        return database.server() == TestServer.POSTGRES;
    }

    void createSlowCommit() {
        database.execute("create table slow_commit (seconds int)");
        if (!isPostgres()) {
            return;
        }
        database.execute("""
                create function be_slow() returns trigger language plpgsql as
                    $$ begin perform pg_sleep(new.seconds); return null; end $$;
                create constraint trigger slow after insert on slow_commit
                    deferrable initially deferred for each row execute function be_slow()
                """);
    }

    /** Everything is written, and then the commit takes ten seconds; where it cannot be slow, it comes late. */
    void writeWithSlowCommit() {
        Random random = new Random(seed - 1);
        long tx = transactions.incrementAndGet();
        try (Connection connection = database.transaction()) {
            int index = insertOne(connection, random, tx, 0);
            insertOne(connection, random, tx, index);
            execute(connection, isPostgres() ? "insert into slow_commit values (10)" : sleep(3));
            connection.commit();
            proof.committed(tx, System.nanoTime());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static OutboxEvent event(Random random) {
        UUID id = UuidV7.next();
        return OutboxEvent.builder("acme.transfer.completed.v1")
                .id(id)
                .aggregate("account", Integer.toString(random.nextInt(KEYS)))
                .json("{}")
                .build();
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
