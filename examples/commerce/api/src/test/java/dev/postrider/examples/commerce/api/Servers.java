package dev.postrider.examples.commerce.api;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.commerce.redis.DevRedis;
import org.flywaydb.core.Flyway;
import org.springframework.test.context.DynamicPropertyRegistry;

/** The real servers, started once for all tests: three brokers that make no topics by themselves, and the topics of topics.yml. */
final class Servers {
    static final DevPostgres POSTGRES = DevPostgres.shared();
    static final DevRedis REDIS = DevRedis.start();
    static final DevKafka KAFKA = kafka();

    private Servers() {}

    private static DevKafka kafka() {
        DevKafka kafka = DevKafka.builder()
                .brokers(3)
                .setting("auto.create.topics.enable", "false")
                .start();
        // Again, if brokers that have just started do not answer in time on a busy machine.
        await().pollInSameThread()
                .atMost(CommerceApiTest.PATIENCE)
                .untilAsserted(() -> Operator.postrider(
                        "topics", "apply", "--config", "../topics.yml", "--kafka", kafka.bootstrapServers()));
        return kafka;
    }

    /** A new database with the tables of the shop, as its migrations make them. */
    static String migratedDatabase(String name) {
        String url = POSTGRES.createDatabase(name);
        Flyway.configure()
                .dataSource(url, POSTGRES.user(), POSTGRES.password())
                .load()
                .migrate();
        return url;
    }

    static void register(DynamicPropertyRegistry registry, String url) {
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", POSTGRES::user);
        registry.add("spring.datasource.password", POSTGRES::password);
        registry.add("spring.datasource.hikari.minimum-idle", () -> 1);
        registry.add("spring.kafka.bootstrap-servers", KAFKA::bootstrapServers);
        registry.add("spring.data.redis.port", REDIS::port);
    }
}
