package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.RelayListener;
import dev.postrider.testing.RecordingPublisher;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outboxes that cannot be read in order, or that come from somewhere else, are refused with what to do. */
class LogStartTest {
    private final RecordingPublisher publisher = RecordingPublisher.acceptingAll();
    private LogOutbox outbox;

    @BeforeEach
    void open() {
        outbox = new LogOutbox(4);
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cache 20", "increment by -1", "cycle"})
    void sequenceThatDrawsIdsOutOfOrderIsRefusedWithTheStatementThatRepairsIt(String bad) {
        outbox.insert("a", 1, 2);
        outbox.database().execute("alter sequence outbox_id_seq " + bad);

        String message = refusal();

        assertThat(message).contains("outbox_id_seq");
        assertThat(publisher.accepted()).isEmpty();
        outbox.database().execute(message.substring(message.indexOf("Run: ") + "Run: ".length()));
        outbox.start(publisher);
        await().until(() -> publisher.accepted().size() == 2);
    }

    @Test
    void rowsOfTransactionsThatThisClusterHasNotReachedAreRefused() {
        outbox.insert("a", 1, 2);
        outbox.database().execute("update outbox set tx_id = '999999999999' where payload::text = '2'");

        assertThat(refusal()).contains("999999999999", "another cluster", "postrider adopt --after restore");
        assertThat(publisher.accepted()).isEmpty();
    }

    @Test
    void cursorOfAnotherClusterIsRefusedAndNothingIsLost() {
        outbox.insert("a", 1);
        Relay before = outbox.start(publisher, LogOutbox.settings("before"));
        await().until(outbox::isDone);
        before.stop();
        outbox.insert("a", 2, 3);
        String actual = outbox.database().one("select distinct system_id from outbox_cursor");
        outbox.database().execute("update outbox_cursor set system_id = 42");

        assertThat(refusal()).contains("42", actual, "postrider adopt");
        assertThat(publisher.acceptedBodies()).containsExactly("1");
        assertThat(outbox.ahead()).isEqualTo(2);

        outbox.database().execute("update outbox_cursor set system_id = " + actual);
        outbox.start(publisher);
        await().until(outbox::isDone);
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2", "3");
    }

    @Test
    void failOverIsSaidLoudlyAndTheRelayGoesOnFromTheCursor() {
        outbox.insert("a", 1, 2);
        outbox.database().execute("update outbox_cursor set timeline = timeline + 6");
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            outbox.start(publisher);
            await().until(outbox::isDone);
        } finally {
            System.setErr(before);
        }

        assertThat(written.toString(StandardCharsets.UTF_8))
                .contains("ERROR", "THE DATABASE HAS FAILED OVER (timeline 7 → 1)");
        assertThat(publisher.acceptedBodies()).containsExactly("1", "2");
        assertThat(outbox.database().column("select distinct timeline from outbox_cursor where seq > 0 and not fence"))
                .as("what is recorded from now on belongs to this timeline")
                .isEqualTo(List.of("1"));
    }

    private String refusal() {
        Relay relay = outbox.relay(publisher, LogOutbox.settings("relay"), new RelayListener() {});
        return catchThrowableOfType(PostriderException.class, relay::start).getMessage();
    }
}
