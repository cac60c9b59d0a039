package dev.postrider.tests.failure;

import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More destinations take nothing than a relay asks for at a time. */
class ManyDestinationsTest {
    private static final int DESTINATIONS = 1_100;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    enum Kind {
        LOG("select count(*) from outbox_parked where state = 'BLOCKED'"),
        CLAIM("select count(*) from outbox where status = 'BLOCKED'"),
        MARIADB("select count(*) from outbox where status = 'BLOCKED'");

        final String blocked;

        Kind(String blocked) {
            this.blocked = blocked;
        }

        TestDatabase database() {
            return switch (this) {
                case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
                case CLAIM -> TestDatabase.withOutbox();
                case MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLastOfThemIsAskedForAsTheFirstOnesAre(Kind kind) {
        try (TestDatabase database = kind.database()) {
            insert(database, "'t-' || n", DESTINATIONS);
            insert(database, "'z'", 1);
            RecordingPublisher publisher = RecordingPublisher.answering(ManyDestinationsTest::blocked);
            Relay relay = Relay.builder(database.dataSource(), publisher)
                    .settings(RelaySettings.builder()
                            .pollInterval(Duration.ofMillis(50))
                            .build())
                    .build();
            relay.start();
            try {
                await().atMost(PATIENCE)
                        .until(() -> database.one(kind.blocked).equals(String.valueOf(DESTINATIONS + 1)));

                publisher.answer(
                        event -> event.aggregateId().equals("z") ? new PublishResult.Accepted() : blocked(event));

                await().atMost(PATIENCE).until(() -> publisher.accepted().size() == 1);
            } finally {
                relay.stop();
            }
        }
    }

    private static PublishResult blocked(OutboxEvent event) {
        return new PublishResult.Blocked(event.aggregateId(), "missing", "There is none.");
    }

    private static void insert(TestDatabase database, String key, int count) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.a.b.v1', 'a', " + key + ", '1' from "
                + database.server().numbers(1, count));
    }
}
