package dev.postrider.spring;

import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.DynamicPropertyRegistry;

/** A database of its own for each class, on the one PostgreSQL or the one MariaDB of this JVM. */
public final class TestDatabase {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private TestDatabase() {}

    public static String create() {
        return DevPostgres.shared().createDatabase("spring_" + COUNT.incrementAndGet());
    }

    public static String createOnMariaDb() {
        return DevMariaDb.shared().createDatabase("spring_" + COUNT.incrementAndGet());
    }

    /** A context on PostgreSQL. */
    public static final class OnPostgres implements ApplicationContextInitializer<ConfigurableApplicationContext> {
        @Override
        public void initialize(ConfigurableApplicationContext context) {
            TestPropertyValues.of(properties(create())).applyTo(context);
        }
    }

    /** A context on MariaDB. */
    public static final class OnMariaDb implements ApplicationContextInitializer<ConfigurableApplicationContext> {
        @Override
        public void initialize(ConfigurableApplicationContext context) {
            TestPropertyValues.of(properties(createOnMariaDb())).applyTo(context);
        }
    }

    /** What {@code spring.datasource} needs. Most contexts use one connection of the ten that a pool would make at once. */
    public static String[] properties(String url) {
        return new String[] {
            "spring.datasource.hikari.minimum-idle=1",
            "spring.datasource.url=" + url,
            "spring.datasource.username=" + user(url),
            "spring.datasource.password=" + password(url)
        };
    }

    /** The same for a test whose context Spring makes. */
    public static void register(DynamicPropertyRegistry registry, String url) {
        registry.add("spring.datasource.hikari.minimum-idle", () -> 1);
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", () -> user(url));
        registry.add("spring.datasource.password", () -> password(url));
    }

    public static String user() {
        return DevPostgres.shared().user();
    }

    public static String password() {
        return DevPostgres.shared().password();
    }

    public static String user(String url) {
        return isMariaDb(url) ? DevMariaDb.shared().user() : user();
    }

    public static String password(String url) {
        return isMariaDb(url) ? DevMariaDb.shared().password() : password();
    }

    private static boolean isMariaDb(String url) {
        return url.startsWith("jdbc:mariadb:");
    }
}
