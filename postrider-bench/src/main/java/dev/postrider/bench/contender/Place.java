package dev.postrider.bench.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;

/**
 * Where a contender works.
 *
 * @param jdbcUrl of a database that is the contender's own
 * @param topic exists already
 * @param options what the scenario wants to be different, by name; see each contender
 */
public record Place(
        String jdbcUrl,
        String user,
        String password,
        String bootstrapServers,
        String topic,
        Map<String, String> options) {

    public Place {
        options = Map.copyOf(options);
    }

    /** A pool as an application would have it. */
    public HikariDataSource pool(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    public int option(String name, int otherwise) {
        return Integer.parseInt(options.getOrDefault(name, String.valueOf(otherwise)));
    }

    public boolean has(String option) {
        return Boolean.parseBoolean(options.getOrDefault(option, "false"));
    }
}
