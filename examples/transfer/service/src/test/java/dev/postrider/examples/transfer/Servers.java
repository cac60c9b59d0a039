package dev.postrider.examples.transfer;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.context.DynamicPropertyRegistry;

/** The real servers, one of each for all tests, and what a test has of its own on them: a database and a topic. */
final class Servers {
    static final DevPostgres POSTGRES = DevPostgres.shared();
    static final DevKafka KAFKA = DevKafka.shared();

    private Servers() {}

    /**
     * A new database with the tables of the service, as its migrations make them, and a {@link Journal}; and a topic of
     * this name.
     */
    static String database(String name) {
        String url = POSTGRES.createDatabase(name);
        Flyway.configure()
                .dataSource(url, POSTGRES.user(), POSTGRES.password())
                .load()
                .migrate();
        Journal.keep(jdbc(url));
        createTopic(name);
        return url;
    }

    static JdbcClient jdbc(String url) {
        return JdbcClient.create(new DriverManagerDataSource(url, POSTGRES.user(), POSTGRES.password()));
    }

    /** What an instance of the service has to be told. */
    static Map<String, Object> properties(String name, String url) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.datasource.url", url);
        properties.put("spring.datasource.username", POSTGRES.user());
        properties.put("spring.datasource.password", POSTGRES.password());
        properties.put("spring.datasource.hikari.minimum-idle", 1);
        properties.put("spring.kafka.bootstrap-servers", KAFKA.bootstrapServers());
        properties.put("postrider.kafka.topic-prefix", name + "-");
        // A busy machine is not a dead relay.
        properties.put("postrider.relay.lease-length", "30s");
        return properties;
    }

    static void register(DynamicPropertyRegistry registry, String name, String url) {
        properties(name, url).forEach((key, value) -> registry.add(key, () -> value));
    }

    /** So that no test waits for a broker that makes it. */
    private static void createTopic(String name) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", KAFKA.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(name + "-transfers", 3, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Topic topic(String name) {
        return new Topic(KAFKA.bootstrapServers(), name + "-transfers");
    }
}
