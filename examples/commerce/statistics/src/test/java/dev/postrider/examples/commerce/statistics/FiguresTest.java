package dev.postrider.examples.commerce.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Inbox;
import dev.postrider.examples.Requirement;
import dev.postrider.spring.PostriderListener;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.io.ClassPathResource;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.listener.ContainerProperties;

/** What application.yml says, and what came of it. */
class FiguresTest extends CommerceStatisticsTest {
    private final Properties figures = figures();

    @Test
    @Requirement({"C9", "C12"})
    void consumersAreSetAsTheSystemSays(
            @Autowired @Qualifier(PostriderListener.CONTAINER_FACTORY)
                    ConcurrentKafkaListenerContainerFactory<?, ?> containers) {
        assertThat(figures)
                .containsEntry("postrider.listener.batch-size", 100)
                .containsEntry("postrider.listener.session-timeout", "30s")
                .containsEntry("postrider.listener.heartbeat-interval", "10s")
                .containsEntry("postrider.listener.max-poll-interval", "5m")
                .containsEntry("postrider.listener.start-at", "latest");
        Map<String, Object> consumer = containers.getConsumerFactory().getConfigurationProperties();
        assertThat(consumer)
                .extractingByKeys(
                        "enable.auto.commit",
                        "max.poll.records",
                        "session.timeout.ms",
                        "heartbeat.interval.ms",
                        "max.poll.interval.ms")
                .extracting(String::valueOf)
                .containsExactly("false", "100", "30000", "10000", "300000");
        assertThat(containers.getContainerProperties().getAckMode()).isEqualTo(ContainerProperties.AckMode.MANUAL);
    }

    /** When they are deleted is decided by the schedule of housekeeping; here it is done at once. */
    @Test
    @Requirement("C14")
    void marksAreKeptForSevenDays(
            @Autowired Inbox inbox,
            @Autowired DataSource dataSource,
            @Autowired @Qualifier("postriderMarksPurge") SmartLifecycle purge) {
        assertThat(figures).containsEntry("postrider.inbox.retention", "7d");
        assertThat(purge.isRunning()).isTrue();
        deliver(Api.viewed(newProduct()), Api.viewed(newProduct()));
        jdbc.sql("update inbox set handled_at = now() - interval '8 days'").update();
        deliver(Api.viewed(newProduct()));
        jdbc.sql("update inbox set handled_at = now() - interval '6 days' where handled_at > now() - interval '7 days'")
                .update();

        inbox.purge(dataSource, Duration.ofDays(7));

        assertThat(jdbc.sql("select count(*) from inbox").query(Long.class).single())
                .isEqualTo(1);
    }

    private static Properties figures() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ClassPathResource("application.yml"));
        Properties read = yaml.getObject();
        return read == null ? new Properties() : read;
    }
}
