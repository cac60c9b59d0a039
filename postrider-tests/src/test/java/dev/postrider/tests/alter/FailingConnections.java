package dev.postrider.tests.alter;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A database that is gone from a certain statement on: the client dies before it, or, every other time, after it was done
 * and before it heard so.
 */
public final class FailingConnections {
    private static final Set<String> COUNTED = Set.of("execute", "executeQuery", "executeUpdate", "commit");

    private final DataSource real;
    private final int last;
    private int done;

    public FailingConnections(DataSource real, int last) {
        this.real = real;
        this.last = last;
    }

    /** Whether the end was reached. */
    public boolean hasFailed() {
        return done > last;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, real);
    }

    private <T> T proxy(Class<T> type, T target) {
        InvocationHandler handler = (self, method, arguments) -> {
            boolean counted = COUNTED.contains(method.getName());
            if (counted) {
                done++;
                if (done > last + 1 || done == last + 1 && last % 2 == 0) {
                    throw new SQLException("gone before " + method.getName());
                }
            }
            Object result;
            try {
                result = method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (counted && done == last + 1) {
                throw new SQLException("gone after " + method.getName());
            }
            return result != null && isSeen(method.getReturnType()) ? wrapped(method.getReturnType(), result) : result;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static boolean isSeen(Class<?> type) {
        return type == Connection.class || type == java.sql.Statement.class || type == java.sql.PreparedStatement.class;
    }

    private <T> T wrapped(Class<T> type, Object result) {
        return proxy(type, type.cast(result));
    }
}
