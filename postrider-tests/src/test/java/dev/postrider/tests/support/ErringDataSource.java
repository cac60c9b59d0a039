package dev.postrider.tests.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A way to a database on which a thread, by its name, meets an {@code Error} once. */
public final class ErringDataSource {
    private static final Set<String> STATEMENTS = Set.of("prepareStatement", "createStatement");

    private final DataSource behind;
    private final AtomicReference<String> victim = new AtomicReference<>();

    public ErringDataSource(DataSource behind) {
        this.behind = behind;
    }

    /** The next statement of this thread. */
    public void strike(String threadName) {
        victim.set(threadName);
    }

    /** Whether it has happened. */
    public boolean hasStruck() {
        return victim.get() == null;
    }

    public DataSource dataSource() {
        return proxy(DataSource.class, behind);
    }

    private <T> T proxy(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String thread = Thread.currentThread().getName();
                    if (STATEMENTS.contains(method.getName())
                            && thread.equals(victim.getAndUpdate(one -> thread.equals(one) ? null : one))) {
                        throw new LinkageError("made by a test");
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return method.getName().equals("getConnection")
                                ? proxy(Connection.class, (Connection) result)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
