package dev.postrider;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * How a relay opens a replication connection, which no {@code DataSource} does: for {@link WakeUp#WAL}. Its role needs the
 * attribute {@code REPLICATION} and nothing else in the database. Best is a role of its own, since it can read everything.
 *
 * <p>Its text form carries no password.
 */
public final class Replication {
    private final String text;
    private final Source source;

    private Replication(String text, Source source) {
        this.text = text;
        this.source = source;
    }

    /** Opens connections, for example with passwords that expire. */
    @FunctionalInterface
    public interface Source {
        /**
         * @param required properties of PostgreSQL's driver that make it a replication connection; to be added to yours
         */
        Connection connect(Properties required) throws SQLException;
    }

    /**
     * @param url of the server and database that the relay's data source leads to, past any pooler
     * @param password null if the server asks for none
     */
    public static Replication to(String url, String user, @Nullable String password) {
        return to(url, user, password, Map.of());
    }

    /**
     * @param properties of the driver, such as {@code sslmode}
     */
    public static Replication to(String url, String user, @Nullable String password, Map<String, String> properties) {
        return new Replication("replication as " + user, required -> {
            Properties all = new Properties();
            all.putAll(properties);
            all.setProperty("user", user);
            if (password != null) {
                all.setProperty("password", password);
            }
            all.putAll(required);
            return DriverManager.getConnection(url, all);
        });
    }

    public static Replication from(Source source) {
        return new Replication("replication by " + source.getClass().getSimpleName(), source);
    }

    /** A replication connection. Waits as long as the driver does. */
    public Connection connect(Properties required) throws SQLException {
        return source.connect(required);
    }

    @Override
    public String toString() {
        return text;
    }
}
