package dev.postrider.tests.input;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.Relay;
import dev.postrider.RelaySettings;
import dev.postrider.admin.DeadLetter;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.cli.Operator;
import dev.postrider.testing.ManualRelay;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.input.BadInput.Answer;
import dev.postrider.tests.support.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;

/** An outbox with an event in it, and a directory: what bad input could spoil. */
final class Playground implements AutoCloseable {
    /** Everything that an outbox has, but for relays that came and went. */
    private static final List<String> TABLES =
            List.of("outbox", "outbox_dead_letter", "outbox_parked", "outbox_settings", "outbox_audit");

    private final TestDatabase database;
    private final Path directory;

    Playground(Path directory) {
        this.database = TestDatabase.withOutbox(OutboxLayout.log(1));
        this.directory = directory;
        insertEvent();
    }

    Path directory() {
        return directory;
    }

    DataSource dataSource() {
        return database.dataSource();
    }

    String url() {
        return database.jdbcUrl();
    }

    /** Somebody who types commands, with the database's address in the environment. */
    Operator operator() {
        return new Operator(directory)
                .variable("POSTRIDER_DB_URL", database.jdbcUrl())
                .variable("POSTRIDER_DB_USER", database.user())
                .variable("POSTRIDER_DB_PASSWORD", database.password());
    }

    void file(String name, String text) throws IOException {
        file(name, text.getBytes(StandardCharsets.UTF_8));
    }

    void file(String name, byte[] content) throws IOException {
        Files.write(directory.resolve(name), content);
    }

    /** With the same id each time. */
    private void insertEvent() {
        database.execute("insert into outbox (event_id, event_type, aggregate_type, aggregate_id, payload)"
                + " values ('00000000-0000-7000-8000-000000000001', 'acme.order.paid.v1', 'order', '1', '{}')");
    }

    /** What is in all tables, as one text, but for when and in which transaction it came there. */
    String content() {
        StringBuilder content = new StringBuilder();
        for (String table : TABLES) {
            content.append(table)
                    .append(database.column(
                            "select (to_jsonb(t) - 'tx_id' - 'occurred_at' - 'created_at' - 'updated_at')::text from "
                                    + table + " t order by 1"))
                    .append('\n');
        }
        return content.toString();
    }

    /** In a transaction of its own, which ends well unless the statement fails. */
    Answer sql(String statement) {
        try (Connection connection = database.dataSource().getConnection();
                Statement one = connection.createStatement()) {
            one.execute(statement);
        } catch (SQLException e) {
            return new Answer(0, List.of(first(e)));
        }
        return new Answer(0, List.of("accepted"));
    }

    /** Takes the row, delivers what is there, says why it became a dead letter, and forgets it. */
    Answer row(String statement) {
        Answer inserted = sql(statement);
        if (!inserted.lines().equals(List.of("accepted"))) {
            return inserted;
        }
        RecordingPublisher publisher = RecordingPublisher.acceptingAll();
        try (Relay relay = Relay.builder(dataSource(), publisher)
                        .settings(RelaySettings.builder().name("playground").build())
                        .build();
                ManualRelay manual = ManualRelay.of(relay)) {
            manual.runUntilIdle();
        }
        if (publisher.accepted().isEmpty()) {
            return new Answer(0, List.of("the event before it was not sent"));
        }
        List<String> reasons =
                OutboxAdmin.builder(dataSource()).build().list(DeadLetterSelection.all(), 10).letters().stream()
                        .map(DeadLetter::reason)
                        .toList();
        return new Answer(0, reasons.isEmpty() ? List.of("sent") : reasons);
    }

    /** Everything as it was at the beginning. */
    void restore() {
        database.clear();
        insertEvent();
    }

    interface Write {
        void in(Outbox outbox, Connection connection) throws Exception;
    }

    /** In a transaction that is rolled back. */
    Answer write(Write write) throws Exception {
        try (Connection connection = database.transaction()) {
            try {
                write.in(Outbox.builder().source("playground").build(), connection);
            } catch (Exception e) {
                return Playground.answer(e);
            } finally {
                if (!connection.isClosed() && !connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        }
        return new Answer(0, List.of("accepted"));
    }

    interface Call {
        Object make() throws Exception;
    }

    static Answer call(Call call) {
        try {
            call.make();
        } catch (Exception e) {
            return answer(e);
        }
        return new Answer(0, List.of("accepted"));
    }

    private static Answer answer(Exception e) {
        return new Answer(0, List.of(e.getClass().getSimpleName() + ": " + first(e)));
    }

    private static String first(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    static OutboxEvent.Builder event() {
        return OutboxEvent.builder("acme.order.paid.v1")
                .aggregate("order", "42")
                .json("{}");
    }

    @Override
    public void close() {
        database.close();
    }
}
