package dev.postrider.tests.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** A way to a database that a test can cut, as a network does, and mend. */
public final class CutDataSource {
    private final DataSource behind;
    private final List<Connection> open = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    public CutDataSource(DataSource behind) {
        this.behind = behind;
    }

    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (cut) {
                        throw new SQLException("cut by the test");
                    }
                    try {
                        Object result = method.invoke(behind, arguments);
                        if (result instanceof Connection connection) {
                            open.add(connection);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Connections that are open end, and none are opened until it is mended. */
    public void cut() throws SQLException {
        cut = true;
        for (Connection connection : open) {
            if (!connection.isClosed()) {
                connection.abort(Runnable::run);
            }
        }
        open.clear();
    }

    public void mend() {
        cut = false;
    }
}
