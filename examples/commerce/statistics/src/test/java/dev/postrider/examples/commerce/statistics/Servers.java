package dev.postrider.examples.commerce.statistics;

import static org.awaitility.Awaitility.await;

import dev.postrider.devservices.DevKafka;
import dev.postrider.devservices.DevPostgres;
import dev.postrider.examples.commerce.redis.DevRedis;
import java.util.Map;

/** The real servers, and the topics of topics.yml on the one broker that there is here. */
final class Servers {
    static final DevPostgres POSTGRES = DevPostgres.shared();
    static final DevRedis REDIS = DevRedis.start();
    static final DevKafka KAFKA = kafka();

    private Servers() {}

    private static DevKafka kafka() {
        DevKafka kafka = DevKafka.shared();
        // Again, if a broker that has just started does not answer in time on a busy machine.
        await().pollInSameThread()
                .atMost(CommerceStatisticsTest.PATIENCE)
                .untilAsserted(() -> Operator.postrider(
                        Map.of("POSTRIDER_TOPICS_REPLICATION_FACTOR", "1", "POSTRIDER_TOPICS_MIN_INSYNC_REPLICAS", "1"),
                        "topics",
                        "apply",
                        "--config",
                        "../topics.yml",
                        "--kafka",
                        kafka.bootstrapServers()));
        return kafka;
    }
}
