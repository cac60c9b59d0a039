package dev.postrider.tests.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.NetworkTimeouts;
import dev.postrider.OutboxLayout;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.RelayState.Phase;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.SilentProxy;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** G10: a network that goes silent, without a word, between a relay and its database. No driver here has a timeout of its own. */
class SilentDatabaseTest {
    private static final NetworkTimeouts TIMEOUTS =
            new NetworkTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(1));

    /** What a relay reads. */
    private enum Kind {
        LOG,
        CLAIM_POSTGRES,
        CLAIM_MARIADB;

        TestDatabase database() {
            return switch (this) {
                case LOG -> TestDatabase.withOutbox(OutboxLayout.log(2));
                case CLAIM_POSTGRES -> TestDatabase.withOutbox(TestServer.POSTGRES);
                case CLAIM_MARIADB -> TestDatabase.withOutbox(TestServer.MARIADB);
            };
        }
    }

    @Test
    void everySessionOfARelayHasTheTimeoutsThatAreSet() {
        Map<String, Set<Integer>> millis = new ConcurrentHashMap<>();
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1));
                Relay relay = relay(
                        noting(DataSource.class, database.dataSource(), millis),
                        RecordingPublisher.acceptingAll(),
                        "timed")) {
            relay.start();

            Set<String> threads = Set.of("postrider-timed", "postrider-timed-listen", "postrider-timed-housekeeping");
            await().until(() -> millis.keySet().containsAll(threads));
            for (String thread : threads) {
                await(thread).until(() -> millis.get(thread).contains(3_000));
            }
        }
    }

    /** Which network timeouts each thread sets. */
    private static <T> T noting(Class<T> type, T target, Map<String, Set<Integer>> millis) {
        return type.cast(Proxy.newProxyInstance(
                SilentDatabaseTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("setNetworkTimeout")) {
                        millis.computeIfAbsent(Thread.currentThread().getName(), any -> ConcurrentHashMap.newKeySet())
                                .add((Integer) arguments[1]);
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        return result instanceof Connection connection
                                        && method.getName().equals("getConnection")
                                ? noting(Connection.class, connection, millis)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @ParameterizedTest
    @EnumSource
    void relayLetsGoInTimeAndComesBackByItself(Kind kind) throws IOException {
        try (TestDatabase database = kind.database();
                SilentProxy wire = new SilentProxy(portOf(database))) {
            RecordingPublisher cutOff = RecordingPublisher.acceptingAll();
            RecordingPublisher healthy = RecordingPublisher.acceptingAll();
            try (Relay relay = relay(through(wire, database, database.password()), cutOff, "cut-off")) {
                relay.start();
                write(database, 1, 20);
                await().until(() -> cutOff.accepted().size() == 20);
                String owner = relay.state().owner();

                wire.silence();
                write(database, 21, 40);
                try (Relay other = relay(database.dataSource(), healthy, "other")) {
                    other.start();
                    await().untilAsserted(
                                    () -> assertThat(healthy.acceptedBodies()).containsAll(bodies(21, 40)));
                    // Claim mode gives new events to any relay at once: the lease may still be in force then.
                    await().until(() -> !isInForce(database, owner));
                }
                assertThat(relay.state().owner()).as("holds no lease").isNull();
                assertThat(relay.state().reason()).isNotNull();
                int before = cutOff.accepted().size();
                write(database, 41, 60);
                assertThat(cutOff.accepted()).as("nothing gets through").hasSize(before);

                wire.restore();
                await().untilAsserted(() -> assertThat(cutOff.acceptedBodies()).containsAll(bodies(41, 60)));
                await().until(() ->
                        relay.state().owner() != null && relay.state().reason() == null);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void stopEndsWhileNeitherDatabaseNorDestinationAnswers(Kind kind) throws IOException {
        try (TestDatabase database = kind.database();
                SilentProxy wire = new SilentProxy(portOf(database))) {
            SilentDestination silent = new SilentDestination();
            Relay relay = relay(through(wire, database, database.password()), silent, "stopped");
            relay.start();
            write(database, 1, 20);
            await().until(() -> silent.taken() > 0);
            wire.silence();

            CompletableFuture<Void> stopped = CompletableFuture.runAsync(relay::stop);

            await().until(stopped::isDone);
            assertThat(relay.state().phase()).isEqualTo(Phase.STOPPED);
            assertThat(stopped).isCompleted();
        }
    }

    @Test
    void relayStartedBeforeItsDatabaseAnswersWaitsForIt() throws IOException {
        try (TestDatabase database = TestDatabase.withOutbox();
                SilentProxy wire = new SilentProxy(portOf(database))) {
            wire.silence();
            write(database, 1, 20);
            RecordingPublisher publisher = RecordingPublisher.acceptingAll();
            try (Relay relay = relay(through(wire, database, database.password()), publisher, "early")) {
                relay.start();
                assertThat(relay.state().phase()).isEqualTo(Phase.WAITING);
                assertThat(relay.state().reason()).contains("no connection within");

                wire.restore();
                await().untilAsserted(
                                () -> assertThat(publisher.acceptedBodies()).containsAll(bodies(1, 20)));
                assertThat(relay.state().phase()).isEqualTo(Phase.RUNNING);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void relayThatTheDatabaseRefusesDoesNotWait(TestServer server) throws IOException {
        try (TestDatabase database = TestDatabase.withOutbox(server);
                SilentProxy wire = new SilentProxy(portOf(database));
                Relay relay = relay(through(wire, database, "wrong"), RecordingPublisher.acceptingAll(), "refused")) {
            assertThatThrownBy(relay::start).isInstanceOf(PostriderException.class);
            assertThat(relay.state().phase()).isEqualTo(Phase.NEW);
        }
    }

    /** By the database's clock; a lease that another relay has removed or taken is not. */
    private static boolean isInForce(TestDatabase database, String owner) {
        String now = database.server() == TestServer.MARIADB ? "utc_timestamp(6)" : "clock_timestamp()";
        return !database.one("select count(*) from outbox_lease where owner = '" + owner + "' and expires_at > " + now)
                .equals("0");
    }

    private static Relay relay(DataSource dataSource, Publisher publisher, String name) {
        return Relay.builder(dataSource, publisher)
                .settings(RelaySettings.builder()
                        .name(name)
                        .pollInterval(Duration.ofMillis(50))
                        .drainTimeout(Duration.ofSeconds(1))
                        .network(TIMEOUTS)
                        .build())
                .build();
    }

    private static DataSource through(SilentProxy wire, TestDatabase database, String password) {
        String url = database.jdbcUrl().replace(":" + portOf(database) + "/", ":" + wire.port() + "/");
        return (DataSource) Proxy.newProxyInstance(
                SilentDatabaseTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> DriverManager.getConnection(url, database.user(), password));
    }

    private static int portOf(TestDatabase database) {
        return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
    }

    private static void write(TestDatabase database, int from, int to) {
        for (int n = from; n <= to; n++) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.placed.v1', 'order', 'key-" + n % 20 + "', '" + n + "')");
        }
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(Integer::toString).toList();
    }
}
