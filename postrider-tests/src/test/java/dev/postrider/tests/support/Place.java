package dev.postrider.tests.support;

import dev.postrider.InboxSchema;
import dev.postrider.testing.InMemoryOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Where an outbox and an inbox can be. Tests that hold at each say no word of SQL. */
public enum Place {
    POSTGRES {
        @Override
        public Opened open() {
            return on(TestServer.POSTGRES);
        }
    },
    MARIADB {
        @Override
        public Opened open() {
            return on(TestServer.MARIADB);
        }
    },
    MEMORY {
        @Override
        public Opened open() {
            InMemoryOutbox memory = new InMemoryOutbox();
            return new Opened(
                    memory.dataSource(), memory::clear, memory.clock()::advance, memory.clock()::advance, () -> {});
        }
    };

    public abstract Opened open();

    /**
     * @param clear nothing is left in it afterwards
     * @param pass lets time pass by its clock
     * @param age makes the marks of inboxes older
     */
    public record Opened(
            DataSource dataSource, Runnable clear, Consumer<Duration> pass, Consumer<Duration> age, Runnable close) {

        /** A connection with a transaction to be ended by the caller. */
        public Connection transaction() throws SQLException {
            Connection connection = dataSource.getConnection();
            connection.setAutoCommit(false);
            return connection;
        }
    }

    private static Opened on(TestServer server) {
        TestDatabase database = TestDatabase.withOutbox(server);
        InboxSchema.migrate(database.dataSource());
        return new Opened(
                database.dataSource(),
                () -> {
                    database.clear();
                    database.execute("delete from inbox");
                },
                time -> LockSupport.parkNanos(time.toNanos()),
                time -> database.execute(
                        "update inbox set handled_at = handled_at - interval '" + time.toSeconds() + "' second"),
                database::close);
    }
}
