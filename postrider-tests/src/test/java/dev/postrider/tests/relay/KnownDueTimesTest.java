package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.failure.DeadLetters;
import dev.postrider.internal.lease.HeldShards;
import dev.postrider.internal.source.ClaimSource;
import dev.postrider.internal.source.EventSource;
import dev.postrider.internal.source.log.Attempts;
import dev.postrider.internal.source.log.LogSource;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.StoredEvent;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.jdbc.RelaySession;
import dev.postrider.internal.store.postgres.PostgresLogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A relay waits no longer than until the next due time that it knows of. What it knows is asked of its source, step by step:
 * no time is measured, and no repair comes in between.
 */
class KnownDueTimesTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final RelaySettings SETTINGS =
            RelaySettings.builder().name("relay").build();

    private TestDatabase database;
    private final List<EventSource> sources = new ArrayList<>();

    @AfterEach
    void close() {
        sources.forEach(EventSource::close);
        database.close();
    }

    @ParameterizedTest
    @EnumSource
    void retryOfThisRelayIsKnownFromItsRecord(TestServer server) throws SQLException {
        ClaimSource source = claims(server);
        insert("a", null);

        source.settle(List.of(failed(fetchOne(source), MINUTE)));

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(MINUTE);
    }

    @ParameterizedTest
    @EnumSource
    void retryOfAnotherRelayIsKnownFromTheNextRepair(TestServer server) throws SQLException {
        ClaimSource source = claims(server);
        assertThat(source.fetch(10, 1_000_000).events()).isEmpty();
        ClaimSource other = claims(database.dataSource());
        insert("a", null);
        other.settle(List.of(failed(fetchOne(other), MINUTE)));

        source.repair();

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(MINUTE);
    }

    @ParameterizedTest
    @EnumSource
    void whatSomebodyHasScheduledIsKnownFromAnyLook(TestServer server) throws SQLException {
        ClaimSource source = claims(server);
        insert("a", MINUTE);
        insert("b", MINUTE.multipliedBy(2));

        assertThat(source.fetch(10, 1_000_000).events()).isEmpty();

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(MINUTE);
    }

    /** Or when a circuit was open, or the process stood still, for long, it would wait for the poll. */
    @ParameterizedTest
    @EnumSource
    void whatHasBeenDueForLongIsNotForgottenBeforeItIsLookedFor(TestServer server) throws SQLException {
        ClaimSource source = claims(server);
        insert("a", MINUTE);
        assertThat(source.fetch(10, 1_000_000).events()).isEmpty();

        database.execute("update outbox set next_attempt_at = next_attempt_at - interval '3' minute");
        source.repair();

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(MINUTE);
    }

    @ParameterizedTest
    @EnumSource
    void retryThatWasGivenBackUnsentIsLookedForAgain(TestServer server) throws SQLException {
        ClaimSource source = claims(server);
        insert("a", MINUTE.negated());

        source.settle(List.of(new Settlement.Returned(fetchOne(source).claim())));

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(Duration.ofMillis(100));
        await().until(() -> !source.fetch(10, 1_000_000).events().isEmpty());
    }

    /** It must be met by the lock or by the look for what comes next, whichever comes first. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void eventThatComesDueBetweenTwoStatementsOfAClaimIsMet(int statement) throws SQLException {
        database = TestDatabase.withOutbox(TestServer.MARIADB);
        AtomicInteger untilWait = new AtomicInteger();
        ClaimSource source = claims(watched(() -> {
            if (untilWait.decrementAndGet() == 0) {
                await().until(() -> database.one(
                                "select count(*) from outbox where next_attempt_at <= utc_timestamp(6)")
                        .equals("1"));
            }
        }));
        assertThat(source.fetch(10, 1_000_000).events()).isEmpty();

        insert("a", Duration.ofSeconds(2));
        untilWait.set(statement);
        EventSource.Fetched fetched = source.fetch(10, 1_000_000);

        assertThat(untilWait).hasNonPositiveValue();
        if (fetched.events().isEmpty()) {
            assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(Duration.ofSeconds(2));
        }
    }

    @Test
    void retryInALogIsKnownFromItsRecordHoweverLateThatComes() throws SQLException {
        database = TestDatabase.withOutbox(OutboxLayout.log(1));
        EventSource source = log();
        insert("slow", null);
        insert("failing", null);
        List<StoredEvent> events = new ArrayList<>();
        await().until(() -> events.addAll(source.fetch(10, 1_000_000).events()) && events.size() == 2);

        // It cannot be recorded while the earlier one is being sent, which takes longer than its delay.
        source.settle(List.of(failed(events.get(1), Duration.ofMillis(1))));
        source.repair();
        assertThat(parked()).isZero();
        source.settle(List.of(new Settlement.Published(events.get(0).claim())));
        assertThat(parked()).isOne();

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(Duration.ofMillis(1));
    }

    @Test
    void whatIsScheduledInALogIsKnownOnceItIsParked() throws SQLException {
        database = TestDatabase.withOutbox(OutboxLayout.log(1));
        EventSource source = log();
        insert("a", MINUTE);

        await().until(() -> {
            source.fetch(10, 1_000_000);
            return parked() == 1;
        });

        assertThat(source.untilDue()).isNotNull().isLessThanOrEqualTo(MINUTE);
    }

    private int parked() {
        return Integer.parseInt(database.one("select count(*) from outbox_parked"));
    }

    private static Settlement failed(StoredEvent event, Duration delay) {
        return new Settlement.Failed(event.claim(), "no", delay, true);
    }

    private static StoredEvent fetchOne(EventSource source) throws SQLException {
        List<StoredEvent> events = source.fetch(10, 1_000_000).events();
        assertThat(events).hasSize(1);
        return events.get(0);
    }

    private void insert(String key, Duration delay) {
        String now = database.server() == TestServer.MARIADB ? "utc_timestamp(6)" : "clock_timestamp()";
        String due = delay == null ? "null" : now + " + interval '" + delay.toSeconds() + "' second";
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '1', " + due + ")");
    }

    private ClaimSource claims(TestServer server) throws SQLException {
        database = TestDatabase.withOutbox(server);
        return claims(database.dataSource());
    }

    private ClaimSource claims(DataSource dataSource) throws SQLException {
        OutboxStore store = store();
        ClaimSource source = new ClaimSource(
                store,
                new RelaySession(dataSource, store),
                new RelaySession(dataSource, store),
                () -> "relay",
                SETTINGS,
                deadLetters(store));
        sources.add(source);
        return source;
    }

    private EventSource log() throws SQLException {
        OutboxStore store = store();
        EventSource source = LogSource.atLeastOnce(new LogSource.Parts(
                new PostgresLogStore(OutboxTable.DEFAULT, 1, ContentHash.sha256()),
                new RelaySession(database.dataSource(), store),
                new OnlyShard(),
                () -> "relay",
                SETTINGS,
                deadLetters(store),
                new Attempts(),
                new RelayListener() {},
                false));
        sources.add(source);
        return source;
    }

    private OutboxStore store() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return Databases.of(connection).outboxStore(OutboxTable.DEFAULT);
        }
    }

    private static DeadLetters deadLetters(OutboxStore store) {
        return new DeadLetters("relay", store, SETTINGS.deadLetters(), new RelayListener() {});
    }

    /** Connections that say when a statement is about to be made. */
    private DataSource watched(Runnable beforeStatement) {
        return watched(DataSource.class, database.dataSource(), beforeStatement);
    }

    private static <T> T watched(Class<T> type, T inner, Runnable beforeStatement) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                beforeStatement.run();
            }
            try {
                Object result = method.invoke(inner, args);
                return result instanceof Connection connection
                        ? watched(Connection.class, connection, beforeStatement)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** Held for ever. */
    private static final class OnlyShard implements HeldShards {
        @Override
        public Map<Integer, Integer> held() {
            return Map.of(0, 0);
        }

        @Override
        public Set<Integer> leaving() {
            return Set.of();
        }

        @Override
        public void released(int shard) {}

        @Override
        public void progressed(int shard) {}
    }
}
