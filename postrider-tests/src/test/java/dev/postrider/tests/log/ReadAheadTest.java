package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxEvent;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The next page of a log is read while the events of the last are sent. */
class ReadAheadTest {
    private static final OutboxLayout LAYOUT = OutboxLayout.log(1);
    private static final int PAGE = 10;
    private static final int EVENTS = 5 * PAGE;

    private final AtomicInteger pages = new AtomicInteger();
    private TestDatabase database;

    @BeforeEach
    void start() {
        database = TestDatabase.withOutbox(LAYOUT);
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'acme.order.paid.v1', 'order', '7', n::text::json from generate_series(1, " + EVENTS
                + ") n");
    }

    @AfterEach
    void stop() {
        database.close();
    }

    @Test
    void nextPageIsReadBeforeTheFirstEventIsSent() throws Exception {
        List<String> sent =
                deliver(event -> await().atMost(Duration.ofSeconds(20)).until(() -> pages.get() > 1));

        assertThat(sent).isEqualTo(numbers());
    }

    @Test
    void whatWasReadOnALostConnectionIsReadAgain() throws Exception {
        AtomicBoolean cut = new AtomicBoolean();

        List<String> sent = deliver(event -> {
            if (event.payload().text().equals("15") && cut.compareAndSet(false, true)) {
                await().until(() -> pages.get() > 2);
                database.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where datname = current_database() and pid <> pg_backend_pid()");
            }
        });

        assertThat(sent.stream().distinct()).as("%s", sent).containsExactlyElementsOf(numbers());
    }

    /** What was sent, in order, until everything was. */
    private List<String> deliver(Consumer<OutboxEvent> whenSent) throws SQLException {
        RecordingPublisher publisher = RecordingPublisher.answering(event -> {
            whenSent.accept(event);
            return new PublishResult.Accepted();
        });
        LogStore store =
                Databases.of(DatabaseFamily.POSTGRESQL).logStore(OutboxTable.DEFAULT, LAYOUT, ContentHash.sha256());
        try (AssembledRelay relay = new AssembledRelay(
                new AssembledRelay.Parts(counting(store), database.dataSource(), database.dataSource()),
                publisher,
                RelaySettings.builder()
                        .name("relay")
                        .batchSize(PAGE)
                        .leaseLength(Duration.ofMinutes(1))
                        .build(),
                new RelayListener() {})) {
            relay.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> publisher.acceptedBodies().contains(String.valueOf(EVENTS)));
        }
        return publisher.acceptedBodies();
    }

    private LogStore counting(LogStore real) {
        return (LogStore) Proxy.newProxyInstance(
                ReadAheadTest.class.getClassLoader(), new Class<?>[] {LogStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("read")) {
                        pages.incrementAndGet();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static List<String> numbers() {
        return IntStream.rangeClosed(1, EVENTS).mapToObj(String::valueOf).toList();
    }
}
