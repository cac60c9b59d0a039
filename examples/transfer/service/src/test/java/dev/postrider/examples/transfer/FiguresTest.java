package dev.postrider.examples.transfer;

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
    @Requirement("T3")
    void pollsEverySecondForFiveHundredEvents() {
        assertThat(figures)
                .containsEntry("postrider.relay.poll-interval", "1s")
                .containsEntry("postrider.relay.polling", "fixed")
                .containsEntry("postrider.relay.batch-size", 500);
    }

    @Test
    @Requirement("T8")
    void retriesFiveTimesFromTwoSecondsToTenMinutes() {
        assertThat(figures)
                .containsEntry("postrider.relay.retry.base", "2s")
                .containsEntry("postrider.relay.retry.multiplier", 2)
                .containsEntry("postrider.relay.retry.cap", "10m")
                .containsEntry("postrider.relay.retry.max-retries", 5)
                .containsEntry("postrider.relay.retry.jitter", 0);
    }

    @Test
    @Requirement("T9")
    void reportsEachDeadEvent() {
        assertThat(figures).containsEntry("postrider.alerts.dead-letters", 0);
    }

    @Test
    @Requirement("T10")
    void cleansUpAtTwoWhatIsOlderThanAWeek() {
        assertThat(figures)
                .containsEntry("postrider.retention.published", "7d")
                .containsEntry("postrider.retention.at", "02:00")
                .containsEntry("postrider.retention.zone", "Europe/Zurich");
    }

    @Test
    @Requirement("T11")
    void looksEveryMinuteForMoreThanTenThousandPendingOrOneHundredFailed() {
        assertThat(figures)
                .containsEntry("postrider.alerts.pending", 10_000)
                .containsEntry("postrider.alerts.failed", 100)
                .containsEntry("postrider.alerts.interval", "1m");
    }

    private static Properties figures() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ClassPathResource("application.yml"));
        return yaml.getObject();
    }
}
