package com.acme;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.postrider.Relay;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.housekeeping.Retention;
import dev.postrider.housekeeping.Schedule;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.InMemoryOutbox;
import dev.postrider.testing.RecordingPublisher;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** docs/retention.md */
class RetentionPageTest {

    @Test
    void relayIsBuiltWithARetention() {
        DataSource dataSource = new InMemoryOutbox().dataSource();
        Publisher publisher = RecordingPublisher.acceptingAll();

        Relay relay = Relay.builder(dataSource, publisher)
                .housekeeping(HousekeepingSettings.builder()
                        .retention(Retention.ofPublished(Duration.ofDays(7)))
                        .schedule(Schedule.daily(LocalTime.of(2, 0), ZoneId.of("Europe/Berlin")))
                        .build())
                .build();

        assertThatCode(relay::close).doesNotThrowAnyException();
    }
}
