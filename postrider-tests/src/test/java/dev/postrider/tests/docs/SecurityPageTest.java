package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.Outbox;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxSchema;
import dev.postrider.OutboxTable;
import dev.postrider.Relay;
import dev.postrider.cli.Operator;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The roles on the page about security can do their work, with the statements as they are there. */
class SecurityPageTest {
    private static final Path ROOT = Files.exists(Path.of("README.md")) ? Path.of("") : Path.of("..");
    private static final Pattern SQL = Pattern.compile("^```sql\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Map<String, String> PASSWORDS = Map.of(
            "outbox_owner", "change-me-1",
            "app", "change-me-2",
            "outbox_relay", "change-me-3",
            "outbox_operator", "change-me-4");

    @TempDir
    private Path directory;

    private TestDatabase database;
    private List<String> blocks;

    @BeforeEach
    void begin() throws IOException {
        blocks = SQL.matcher(Files.readString(ROOT.resolve("docs/security.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(4);
        database = TestDatabase.empty();
        database.execute(blocks.get(0));
    }

    @AfterEach
    void end() {
        PASSWORDS.keySet().stream()
                .filter(role -> !database.one("select to_regrole('" + role + "') is null")
                        .equals("t"))
                .forEach(role -> database.execute("drop owned by " + role + " cascade; drop role " + role));
        database.close();
    }

    @ParameterizedTest
    @EnumSource(OutboxMode.class)
    void eachRoleCanDoItsWork(OutboxMode mode) throws SQLException {
        try (HikariDataSource owner = as("outbox_owner")) {
            OutboxLayout layout = mode == OutboxMode.LOG ? OutboxLayout.log(2) : OutboxLayout.claim();
            OutboxSchema.migrate(owner, OutboxTable.DEFAULT, layout);
        }
        database.execute(blocks.get(1));
        if (mode == OutboxMode.CLAIM) {
            database.execute(blocks.get(2));
        }
        database.execute(blocks.get(3));

        Outbox outbox = Outbox.builder().source("shop").build();
        try (HikariDataSource app = as("app");
                Connection connection = app.getConnection()) {
            connection.setAutoCommit(false);
            outbox.write(connection, event("good").requestId("r-1").build());
            outbox.write(connection, event("bad").build());
            connection.commit();
        }
        RecordingPublisher publisher =
                RecordingPublisher.answering(event -> event.aggregateId().equals("bad")
                        ? new PublishResult.Rejected("never", true)
                        : new PublishResult.Accepted());
        try (HikariDataSource pool = as("outbox_relay");
                Relay relay = Relay.builder(pool, publisher).build()) {
            relay.start();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> publisher.accepted().size() == 1
                            && database.one("select count(*) from outbox_dead_letter")
                                    .equals("1"));
        }

        Operator operator = new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", "outbox_operator")
                .variable("POSTRIDER_DB_PASSWORD", "change-me-4");
        for (List<String> command : List.of(
                List.of("pause", "--reason", "page"),
                List.of("resume"),
                List.of("dead", "retry", "--all", "--yes"),
                List.of("status"))) {
            assertThat(operator.run(command.toArray(String[]::new)))
                    .as("%s: %s", command, operator.err())
                    .isZero();
        }
    }

    private static OutboxEvent.Builder event(String aggregate) {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", aggregate)
                .json("{}");
    }

    private HikariDataSource as(String role) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(role);
        config.setPassword(PASSWORDS.get(role));
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }
}
