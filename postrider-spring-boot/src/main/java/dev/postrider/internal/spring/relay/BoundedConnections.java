package dev.postrider.internal.spring.relay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Another data source, whose connections do not wait without end for a server that says nothing. When they are closed they are
 * as they were: they may go back to the application's pool. Any thread.
 */
public final class BoundedConnections extends DelegatingDataSource {
    private static final Executor DIRECTLY = Runnable::run;

    private final Duration answer;

    /**
     * @param answer longest wait for an answer
     */
    public BoundedConnections(DataSource dataSource, Duration answer) {
        super(dataSource);
        this.answer = answer;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = obtainTargetDataSource().getConnection();
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(DIRECTLY, Math.toIntExact(answer.toMillis()));
            return restoredWhenClosed(connection, before);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private static Connection restoredWhenClosed(Connection connection, int timeout) {
        return (Connection) Proxy.newProxyInstance(
                BoundedConnections.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        restore(connection, timeout);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    /** One that cannot be restored is broken, which its pool finds out. */
    private static void restore(Connection connection, int timeout) {
        try {
            connection.setNetworkTimeout(DIRECTLY, timeout);
        } catch (SQLException e) {
            // Told by whatever broke it.
        }
    }
}
