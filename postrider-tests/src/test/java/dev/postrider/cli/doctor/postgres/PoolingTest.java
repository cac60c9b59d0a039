package dev.postrider.cli.doctor.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.doctor.check.Severity;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a pooler is noticed: here one of our own, over real connections. */
class PoolingTest {
    private TestDatabase database;
    private final Deque<Connection> free = new ArrayDeque<>();

    @BeforeEach
    void create() throws SQLException {
        database = TestDatabase.empty();
        free.push(database.dataSource().getConnection());
        free.push(database.dataSource().getConnection());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void connectionsOfTheirOwnAreFine() throws SQLException {
        Pooling check = new Pooling(this::direct);

        assertThat(check.examine()).extracting("severity").containsExactly(Severity.OK);
    }

    @Test
    void poolerInTransactionModeIsAWarning() throws SQLException {
        Pooling check = new Pooling(this::pooled);

        assertThat(check.examine()).extracting("severity").containsExactly(Severity.WARNING);
    }

    private Connection direct() {
        try {
            return database.dataSource().getConnection();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes a server connection for each statement, the one last given back first; in a transaction, until its end. */
    private Connection pooled() {
        boolean[] inTransaction = {false};
        Connection[] mine = {null};
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "setAutoCommit":
                            inTransaction[0] = true;
                            return null;
                        case "prepareStatement":
                            Connection server = free.pop();
                            if (inTransaction[0]) {
                                mine[0] = server;
                            } else {
                                free.push(server);
                            }
                            return invoke(server, method, arguments);
                        case "rollback":
                            free.push(mine[0]);
                            return null;
                        default:
                            return null;
                    }
                });
    }

    private static Object invoke(Connection server, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(server, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
