package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.examples.Requirement;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;

/** What application.yml says, whatever other tests have set. */
class FiguresTest {
    private final Properties figures = figures();

    @Test
    @Requirement("O2")
    void pollsEveryFiveSecondsForTenEvents() {
        assertThat(figures)
                .containsEntry("postrider.relay.poll-interval", "5s")
                .containsEntry("postrider.relay.polling", "fixed")
                .containsEntry("postrider.relay.batch-size", 10);
    }

    @Test
    @Requirement("O4")
    void retriesFiveTimesFrom100MillisecondsOn() {
        assertThat(figures)
                .containsEntry("postrider.relay.retry.base", "100ms")
                .containsEntry("postrider.relay.retry.multiplier", 2)
                .containsEntry("postrider.relay.retry.max-retries", 5)
                .containsEntry("postrider.relay.retry.jitter", 0);
    }

    @Test
    @Requirement("O6")
    void cleansAfterThirtyDays() {
        assertThat(figures).containsEntry("postrider.retention.published", "30d");
    }

    private static Properties figures() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ClassPathResource("application.yml"));
        return yaml.getObject();
    }
}
