package dev.postrider.examples.transfer;

import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * The service with figures that let a test see what takes minutes: it retries after a twentieth of the time, looks at its
 * levels every second, and is in a time zone where it will soon be two o'clock in the morning. All classes below this one
 * share one application.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@Import(ShortenedFiguresTest.Destination.class)
abstract class ShortenedFiguresTest {
    static final String NAME = "shortened";
    static final Operations OPERATIONS = new Operations();
    private static final int SECONDS_UNTIL_TWO = 10;

    /** The two o'clock that the clean-up waits for, by the database's clock. */
    static Instant twoOClock = Instant.MIN;

    @Autowired
    Bank bank;

    @Autowired
    JdbcClient jdbc;

    @Autowired
    Doorman doorman;

    @TestConfiguration(proxyBeanMethods = false)
    static class Destination {
        @Bean
        Doorman doorman() {
            return new Doorman(NAME + "-transfers");
        }
    }

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        String url = Servers.database(NAME);
        Servers.register(registry, NAME, url);
        registry.add("postrider.relay.retry.base", () -> "100ms");
        registry.add("postrider.relay.retry.cap", () -> "2s");
        registry.add("postrider.alerts.interval", () -> "1s");
        registry.add("postrider.alerts.webhook-url", OPERATIONS::url);
        String zone = whereItWillSoonBeTwo(Servers.jdbc(url));
        registry.add("postrider.retention.zone", () -> zone);
    }

    /** Published a while ago, cleaned up a moment ago. */
    private static String whereItWillSoonBeTwo(JdbcClient jdbc) {
        jdbc.sql("""
                insert into transfer_events (event_type, aggregate_type, aggregate_id, payload, status, created_at, published_at)
                select 'TransferCompleted', 'Transfer', 'published-' || days || '-days-ago', '{}', 'PUBLISHED',
                       now() - days * interval '1 day', now() - days * interval '1 day'
                from unnest(array[1, 6, 8, 60]) as days
                """).update();
        Instant now = jdbc.sql("select clock_timestamp()").query(Instant.class).single();
        jdbc.sql("insert into transfer_events_settings (name, value) values ('retention_last_run', ?)")
                .param(now.toString())
                .update();
        twoOClock = Instant.ofEpochSecond(now.getEpochSecond() + SECONDS_UNTIL_TWO);
        int behindUtc = twoOClock.atOffset(ZoneOffset.UTC).toLocalTime().toSecondOfDay()
                - LocalTime.of(2, 0).toSecondOfDay();
        int day = 24 * 60 * 60;
        int offset = Math.floorMod(-behindUtc + day / 2, day) - day / 2;
        return ZoneOffset.ofTotalSeconds(offset).getId();
    }

    @BeforeEach
    void refuseNothing() {
        doorman.refuse(transfer -> false);
    }

    /** A transfer that is refused until it is dead. */
    Transfer die() {
        doorman.refuse(transfer -> true);
        Transfer poison = bank.transfer(new Transfer.Wanted(
                bank.open(new Account.Opening("Ada Lovelace", BigDecimal.TEN)).number(),
                bank.open(new Account.Opening("Charles Babbage", BigDecimal.TEN))
                        .number(),
                BigDecimal.ONE));
        awaitStatus(poison.id(), "DEAD_LETTER");
        return poison;
    }

    void awaitStatus(Object transfer, String status) {
        await().atMost(TransferServiceTest.PATIENCE)
                .until(() -> EventRow.of(jdbc, transfer).status().equals(status));
    }
}
