package dev.postrider.bench.contender.spring;

import dev.postrider.bench.contender.Business;
import dev.postrider.bench.contender.Place;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The Spring Boot application, without web, that a peer lives in. It holds {@link PeerBeans}, the peer's own
 * configuration, and nothing that Spring Boot would find on the class path by itself: other peers are there too.
 *
 * <p>An option with a dot in its name is a property of the application and wins over what the peer sets.
 */
public final class SpringPeer implements AutoCloseable {
    private final Map<String, String> properties;
    private final PeerSettings settings;
    private final ConfigurableApplicationContext context;
    private final TransactionTemplate transactions;
    private final DataSource dataSource;

    private SpringPeer(Map<String, String> properties, PeerSettings settings, ConfigurableApplicationContext context) {
        this.properties = properties;
        this.settings = settings;
        this.context = context;
        this.transactions = context.getBean(TransactionTemplate.class);
        this.dataSource = context.getBean(DataSource.class);
    }

    /** Opens the application, with the business table in the database. */
    public static SpringPeer open(
            Place place, PeerSettings settings, Class<?> configuration, Map<String, String> tuning)
            throws SQLException {
        Map<String, String> properties = new TreeMap<>(tuning);
        place.options().forEach((name, value) -> {
            if (name.contains(".")) {
                properties.put(name, value);
            }
        });
        // Logging is SLF4J's matter here, and set up already.
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(PeerBeans.class, configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .properties(Map.copyOf(properties))
                .initializers(starting -> {
                    starting.getBeanFactory().registerSingleton("place", place);
                    starting.getBeanFactory().registerSingleton("peerSettings", settings);
                })
                .run();
        Business.create(context.getBean(DataSource.class));
        return new SpringPeer(properties, settings, context);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    /** One transaction of a user: the business row, and what the peer does for its events. */
    public void inTransaction(Runnable events) {
        transactions.executeWithoutResult(status -> {
            try {
                Business.pay(DataSourceUtils.getConnection(dataSource));
            } catch (SQLException e) {
                throw new UncategorizedSQLException("business row", Business.INSERT, e);
            }
            events.run();
        });
    }

    /** What was set, for the report. */
    public List<String> settings() {
        List<String> lines = new ArrayList<>();
        properties.forEach((name, value) -> lines.add(name + "=" + value));
        lines.addAll(settings.lines());
        return lines;
    }

    @Override
    public void close() {
        context.close();
    }
}
