package dev.postrider.spring;

import dev.postrider.devservices.DevPostgres;
import java.util.concurrent.atomic.AtomicInteger;

/** A database of its own for each class, on the one server of this JVM. */
public final class TestDatabase {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestDatabase() {}

    public static String create() {
        return DevPostgres.shared().createDatabase("spring_" + COUNT.incrementAndGet());
    }

    /** What {@code spring.datasource} needs. */
    public static String[] properties(String url) {
        return new String[] {
            "spring.datasource.url=" + url,
            "spring.datasource.username=" + user(),
            "spring.datasource.password=" + password()
        };
    }

    public static String user() {
        return DevPostgres.shared().user();
    }

    public static String password() {
        return DevPostgres.shared().password();
    }
}
