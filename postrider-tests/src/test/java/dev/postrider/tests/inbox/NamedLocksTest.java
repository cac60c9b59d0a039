package dev.postrider.tests.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.InboxSchema;
import dev.postrider.NamedLocks;
import dev.postrider.NoTransactionException;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks by name, for the length of a transaction. */
@ParameterizedClass
@EnumSource
class NamedLocksTest {
    private static TestDatabase database;

    private final TestServer server;
    private final NamedLocks locks = NamedLocks.create();

    NamedLocksTest(TestServer server) {
        this.server = server;
    }

    @BeforeParameterizedClassInvocation
    static void start(TestServer server) {
        database = TestDatabase.empty(server);
        InboxSchema.migrate(database.dataSource());
        database.execute("create table account (balance integer)");
        database.execute("insert into account values (0)");
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        database.close();
    }

    /** Each reads and then writes what it has read: without the lock, most of it would be lost. */
    @Test
    void oneTransactionAtATimeHasTheLock() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(threads.submit(() -> {
                    addOne();
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }

        assertThat(database.one("select balance from account")).isEqualTo("50");
    }

    private void addOne() throws Exception {
        try (Connection connection = database.transaction()) {
            locks.hold(connection, "member-7");
            int balance = Integer.parseInt(database.one("select balance from account"));
            database.execute("update account set balance = " + (balance + 1));
            connection.commit();
        }
    }

    @Test
    void lockEndsWithItsTransactionHoweverItEnds() throws Exception {
        try (Connection holder = database.transaction();
                Connection other = database.transaction()) {
            locks.hold(holder, "member-1");
            assertThat(locks.tryHold(other, "member-1")).isFalse();
            assertThat(locks.tryHold(other, "member-2")).isTrue();
            assertThat(locks.tryHold(holder, "member-1")).as("its own").isTrue();

            holder.rollback();

            assertThat(locks.tryHold(other, "member-1")).isTrue();
            other.rollback();
        }
    }

    @Test
    void whoWaitsGoesOnWhenTheHolderCommits() throws Exception {
        ExecutorService others = Executors.newSingleThreadExecutor();
        try (Connection holder = database.transaction()) {
            locks.hold(holder, "member-3");
            Future<Boolean> waiting = others.submit(() -> {
                try (Connection connection = database.transaction()) {
                    locks.hold(connection, "member-3");
                    connection.commit();
                    return true;
                }
            });
            await().until(() -> server.waiting(database) > 0);
            assertThat(waiting).isNotDone();
            holder.commit();

            assertThat(waiting.get()).isTrue();
        } finally {
            others.shutdown();
        }
    }

    @Test
    void lockWithoutTransactionIsRefused() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> locks.hold(connection, "member-1")).isInstanceOf(NoTransactionException.class);
        }
    }
}
