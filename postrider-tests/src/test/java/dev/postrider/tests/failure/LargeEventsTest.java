package dev.postrider.tests.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.tests.support.ChildJvm;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.TestServer;
import dev.postrider.tests.support.Torture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A relay process with less memory than the events that wait for it. */
@Tag(Torture.ALSO)
class LargeEventsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Together more than the relay's memory. */
    private static final int FOLLOWERS = Torture.isOn() ? 200 : 130;

    @TempDir
    private Path directory;

    private TestDatabase database;
    private Process relay;

    /** In every build the one event is claimed, and the many wait beside a log, where they are read again and again. */
    static Stream<Arguments> claimOrAll() {
        return Torture.isOn() ? all() : Stream.of(Arguments.of(TestServer.POSTGRES, OutboxLayout.claim()));
    }

    static Stream<Arguments> logOrAll() {
        return Torture.isOn() ? all() : Stream.of(Arguments.of(TestServer.POSTGRES, OutboxLayout.log(2)));
    }

    private static Stream<Arguments> all() {
        return Stream.of(
                Arguments.of(TestServer.POSTGRES, OutboxLayout.log(2)),
                Arguments.of(TestServer.POSTGRES, OutboxLayout.claim()),
                Arguments.of(TestServer.MARIADB, OutboxLayout.claim()));
    }

    private void open(TestServer server, OutboxLayout layout) {
        database = server == TestServer.POSTGRES ? TestDatabase.withOutbox(layout) : TestDatabase.withOutbox(server);
        database.execute("create table delivered (n serial, body text, relay text)");
    }

    @AfterEach
    void close() throws InterruptedException {
        if (relay != null) {
            relay.destroyForcibly().waitFor();
        }
        database.close();
    }

    @ParameterizedTest
    @MethodSource("claimOrAll")
    void eventLargerThanTheLimitBecomesADeadLetterWithoutBeingFetched(TestServer server, OutboxLayout layout)
            throws Exception {
        open(server, layout);
        insert("a", "1");
        // Blanks: in the database it is small, and nowhere else.
        insertLarge("a", "2", 120_000_000);
        insert("a", "3");
        insert("b", "4");

        start();

        awaitAlive(() -> delivered().size() == 3);
        awaitAlive(() -> deadLetters().size() == 1);
        assertThat(delivered()).containsSubsequence("1", "3").contains("4");
        assertThat(deadLetters()).containsExactly("2 too-large");
        assertThat(database.one("select reason from outbox_dead_letter"))
                .contains("120000", "max-event-bytes is 16777216");
        assertThat(database.one("select octet_length(" + text("payload") + ") from outbox_dead_letter"))
                .as("the letter has all of it")
                .isEqualTo("120000001");
    }

    @ParameterizedTest
    @MethodSource("logOrAll")
    void followersOfAFailedEventAreReadByAsManyAsFitIntoMemory(TestServer server, OutboxLayout layout)
            throws Exception {
        open(server, layout);
        if (server == TestServer.POSTGRES) {
            // To read compressed ones for their sizes takes the server longer than all the rest.
            database.execute("alter table outbox alter column payload set storage external");
        }
        insert("a", "\"refused\"");
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.a.b.v1', 'a', 'a', " + json("n", 900_000) + " from " + server.numbers(1, FOLLOWERS));
        start();
        awaitAlive(() -> areFollowersWaiting(layout));

        Files.createFile(directory.resolve("answer"));

        awaitAlive(() -> delivered().size() == FOLLOWERS + 1);
        assertThat(delivered())
                .containsExactlyElementsOf(Stream.concat(
                                Stream.of("\"refused\""),
                                IntStream.rangeClosed(1, FOLLOWERS).mapToObj(Integer::toString))
                        .toList());
    }

    private void awaitAlive(BooleanSupplier condition) throws IOException {
        await().atMost(PATIENCE).until(() -> !relay.isAlive() || condition.getAsBoolean());
        assertThat(relay.isAlive())
                .as(Files.readString(directory.resolve("small.out")))
                .isTrue();
    }

    private void start() throws IOException {
        relay = ChildJvm.of(
                        MortalRelay.class,
                        List.of("-Xmx96m", "-XX:+ExitOnOutOfMemoryError"),
                        database.jdbcUrl(),
                        database.user(),
                        database.password(),
                        "small",
                        directory.resolve("answer").toString(),
                        "2000")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("small.out").toFile())
                .start();
    }

    private void insert(String key, String body) {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " values ('acme.a.b.v1', 'a', '" + key + "', '" + body + "')");
    }

    /** On MariaDB no string may be longer than a packet, and the relay's connections have the usual one. */
    private void insertLarge(String key, String body, int bytes) throws SQLException {
        boolean mariaDb = database.server() == TestServer.MARIADB;
        if (mariaDb) {
            database.execute("set global max_allowed_packet = 1073741824");
            database.reconnect();
        }
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.a.b.v1', 'a', '" + key + "', " + json("'" + body + "'", bytes) + ")");
        } finally {
            if (mariaDb) {
                database.execute("set global max_allowed_packet = default");
            }
        }
    }

    private String json(String body, int blanks) {
        return database.server() == TestServer.MARIADB
                ? "concat(" + body + ", repeat(' ', " + blanks + "))"
                : "(" + body + " || repeat(' ', " + blanks + "))::json";
    }

    private List<String> delivered() {
        return database.column("select body from delivered order by n");
    }

    private List<String> deadLetters() {
        return database.column("select outbox_id || ' ' || error_class from outbox_dead_letter order by outbox_id");
    }

    /** In claim mode they are claimed with the failed event and given back, again and again. */
    private boolean areFollowersWaiting(OutboxLayout layout) {
        return layout.mode() == OutboxMode.LOG
                ? database.one("select count(*) from outbox_parked").equals(String.valueOf(FOLLOWERS + 1))
                : Integer.parseInt(database.one("select attempts from outbox where id = 1")) >= 2;
    }

    private String text(String column) {
        return database.server() == TestServer.MARIADB ? column : column + "::text";
    }
}
