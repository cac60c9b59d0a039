package dev.postrider.tests.campaign;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Lets a thread of this process meet an {@link Error} once, where it calls the database, the destination or a listener:
 * the order is the thread's name, the kind of error, and how many calls are left alone before.
 */
final class InjectedErrors {
    private @Nullable Order order;

    private static final class Order {
        final String thread;
        final String kind;
        int callsBefore;

        Order(String thread, String kind, int callsBefore) {
            this.thread = thread;
            this.kind = kind;
            this.callsBefore = callsBefore;
        }
    }

    /** {@code thread kind calls-before}, as {@link #command} makes it. */
    synchronized void arm(String command) {
        String[] words = command.split(" ");
        order = new Order(words[0], words[1], Integer.parseInt(words[2]));
    }

    static String command(String thread, String kind, int callsBefore) {
        return thread + " " + kind + " " + callsBefore;
    }

    void meet() {
        Order due = due(Thread.currentThread().getName());
        if (due == null) {
            return;
        }
        System.out.println(Reports.THREW + due.thread);
        if (due.kind.equals("stack")) {
            throw new StackOverflowError("injected by the campaign");
        }
        throw new OutOfMemoryError("injected by the campaign");
    }

    private synchronized @Nullable Order due(String thread) {
        Order current = order;
        if (current == null || !current.thread.equals(thread) || current.callsBefore-- > 0) {
            return null;
        }
        order = null;
        return current;
    }

    DataSource on(DataSource real) {
        return on(DataSource.class, real);
    }

    /** The same object, but for the errors. What it returns of interfaces to the database has them too. */
    <T> T on(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                InjectedErrors.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return call(real, method, args);
                    }
                    meet();
                    return followed(method, call(real, method, args));
                }));
    }

    static Object call(Object real, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object followed(Method method, Object result) {
        if (method.getName().equals("unwrap")) {
            return result instanceof PGConnection notifications ? on(PGConnection.class, notifications) : result;
        }
        return result instanceof Connection connection ? on(Connection.class, connection) : result;
    }
}
