package dev.postrider.spring.autoconfigure;

import dev.postrider.devservices.DevMariaDb;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.devservices.DevServicesException;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.spring.autoconfigure.PostriderProperties.DevelopmentDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** A database for one context, on the server that all contexts of this process share. */
final class DevDatabaseDetails implements JdbcConnectionDetails {
    private static final Logger log = LoggerFactory.getLogger(DevDatabaseDetails.class);
    private static final AtomicInteger CONTEXTS = new AtomicInteger();

    private final String url;
    private final String user;
    private final String password;

    DevDatabaseDetails(Environment environment) {
        String database = "postrider_dev_" + CONTEXTS.incrementAndGet();
        String kind;
        try {
            if (chosen(environment) == DevelopmentDatabase.MARIADB) {
                DevMariaDb server = DevMariaDb.shared();
                kind = "MariaDB";
                url = server.createDatabase(database);
                user = server.user();
                password = server.password();
            } else {
                DevPostgres server = DevPostgres.shared();
                kind = "PostgreSQL";
                url = server.createDatabase(database);
                user = server.user();
                password = server.password();
            }
        } catch (DevServicesException e) {
            throw new PostriderStartException(
                    "No property says where the database is, and postrider-devservices could not start one: "
                            + e.getMessage(),
                    "Set spring.datasource.url, or postrider.devservices.enabled=false.",
                    e);
        }
        log.warn(
                "Started a {} for development, since spring.datasource.url is not set. NOTHING IN IT OUTLIVES THIS PROCESS: {} (user {})",
                kind,
                url,
                user);
    }

    /** What is set, or else the driver tells. Both are there unless one was taken out: postrider-devservices brings them. */
    private static DevelopmentDatabase chosen(Environment environment) {
        return Binder.get(environment)
                .bind("postrider.devservices.database", DevelopmentDatabase.class)
                .orElseGet(() -> {
                    String driver = environment.getProperty("spring.datasource.driver-class-name", "");
                    return driver.startsWith("org.mariadb.") || !ClassUtils.isPresent("org.postgresql.Driver", null)
                            ? DevelopmentDatabase.MARIADB
                            : DevelopmentDatabase.POSTGRES;
                });
    }

    @Override
    public String getUsername() {
        return user;
    }

    @Override
    public String getPassword() {
        return password;
    }

    @Override
    public String getJdbcUrl() {
        return url;
    }
}
