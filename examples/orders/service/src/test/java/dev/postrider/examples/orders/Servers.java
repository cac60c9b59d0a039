package dev.postrider.examples.orders;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import org.flywaydb.core.Flyway;
import org.springframework.test.context.DynamicPropertyRegistry;

/** The real servers, one of each for all tests, and what a test has of its own on them: a database and topics. */
final class Servers {
    static final DevPostgres POSTGRES = DevPostgres.shared();
    static final DevKafka KAFKA = DevKafka.shared();

    private Servers() {}

    /** A new database with the tables of the service, as its migrations make them. */
    static String migratedDatabase(String name) {
        String url = POSTGRES.createDatabase(name);
        Flyway.configure()
                .dataSource(url, POSTGRES.user(), POSTGRES.password())
                .load()
                .migrate();
        return url;
    }

    static void register(DynamicPropertyRegistry registry, String name, String url) {
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", POSTGRES::user);
        registry.add("spring.datasource.password", POSTGRES::password);
        registry.add("spring.datasource.hikari.minimum-idle", () -> 1);
        registry.add("spring.kafka.bootstrap-servers", KAFKA::bootstrapServers);
        registry.add("postrider.kafka.topic-prefix", () -> name + "-");
        registry.add("postrider.kafka.properties.interceptor.classes", Sends.class::getName);
    }

    static Topic topic(String name) {
        return new Topic(KAFKA.bootstrapServers(), name + "-order-events");
    }
}
