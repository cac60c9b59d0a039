package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.failure.Backoff;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.CutDataSource;
import dev.postrider.tests.support.TestDatabase;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Relays whose clock is two hours away from the database's: retries, schedules and takeovers come when they should. */
class RelayClockTest {
    private final Set<String> rejected = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Duration> longest = new AtomicReference<>(Duration.ZERO);

    static Stream<Arguments> clocks() {
        return Stream.of(OutboxLayout.log(2), OutboxLayout.claim())
                .flatMap(layout -> Stream.of("2 hours", "-2 hours").map(offset -> Arguments.of(layout, offset)));
    }

    @ParameterizedTest
    @MethodSource("clocks")
    void relayWhoseClockIsTwoHoursOffChangesNothing(OutboxLayout layout, String offset) throws Exception {
        try (TestDatabase database = TestDatabase.empty()) {
            moveClock(database, offset);
            OutboxSchema.migrate(database.dataSource(), OutboxTable.DEFAULT, layout);
            assertThat(database.one("select clock_timestamp() - pg_catalog.clock_timestamp() > interval '1 hour'"
                            + " or clock_timestamp() - pg_catalog.clock_timestamp() < interval '-1 hour'"))
                    .as("the clocks differ")
                    .isEqualTo("t");
            RecordingPublisher publisher = RecordingPublisher.answering(this::refuseOnce);
            CutDataSource network = new CutDataSource(database.dataSource());
            try (Relay first = relay(network.dataSource(), "first", publisher)) {
                first.start();
                insert(database, "1", "null");
                insert(database, "2", "clock_timestamp() + interval '500 milliseconds'");
                await().until(() -> publisher.acceptedBodies().containsAll(Set.of("1", "2")));

                network.cut();
                try (Relay second = relay(database.dataSource(), "second", publisher)) {
                    second.start();
                    insert(database, "3", "null");
                    await().until(() -> publisher.acceptedBodies().contains("3"));
                }
                network.mend();
            }
            assertThat(rejected).as("each was tried again").hasSize(3);
            assertThat(longest.get()).isLessThan(Duration.ofHours(1));
        }
    }

    /** Everything that asks for the time in this database gets another one. */
    private static void moveClock(TestDatabase database, String offset) {
        database.execute("""
                create schema clock;
                create function clock.clock_timestamp() returns timestamptz language sql volatile
                    as $$ select pg_catalog.clock_timestamp() + interval '%1$s' $$;
                create function clock.statement_timestamp() returns timestamptz language sql stable
                    as $$ select pg_catalog.statement_timestamp() + interval '%1$s' $$;
                create function clock.now() returns timestamptz language sql stable
                    as $$ select pg_catalog.now() + interval '%1$s' $$;
                do $$ begin
                    execute format('alter database %%I set search_path = public, clock, pg_catalog', current_database());
                end $$
                """.formatted(offset));
        database.reconnect();
    }

    private PublishResult refuseOnce(OutboxEvent event) {
        return rejected.add(event.payload().text())
                ? new PublishResult.Rejected("not at once", false)
                : new PublishResult.Accepted();
    }

    private Relay relay(DataSource dataSource, String name, RecordingPublisher publisher) {
        return Relay.builder(dataSource, publisher)
                .settings(RelaySettings.builder()
                        .name(name)
                        .pollInterval(Duration.ofMillis(50))
                        .leaseLength(Duration.ofSeconds(1))
                        .retry(new Backoff(Duration.ofMillis(200), 1, Duration.ofMillis(200), 0, 5))
                        .build())
                .listener(new RelayListener() {
                    @Override
                    public void published(OutboxEvent event, Duration latency) {
                        longest.accumulateAndGet(latency, (one, other) -> one.compareTo(other) > 0 ? one : other);
                    }
                })
                .build();
    }

    private static void insert(TestDatabase database, String body, String deliverAfter) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                + " values ('acme.a.b.v1', 'a', '" + body + "', '" + body + "', " + deliverAfter + ")");
    }
}
