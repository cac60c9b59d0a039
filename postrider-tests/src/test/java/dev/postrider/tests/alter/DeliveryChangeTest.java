package dev.postrider.tests.alter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.Delivery;
import dev.postrider.LayoutChange;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.admin.LayoutReport;
import dev.postrider.admin.LayoutRequest;
import dev.postrider.cli.demo.DeliveryProof;
import dev.postrider.publish.PublishResult;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.tests.support.Torture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Into and out of delivery exactly once, where the destination knows what was committed. */
@Tag(Torture.ONLY)
class DeliveryChangeTest {
    private static final LayoutRequest ONCE = new LayoutRequest(null, null, Delivery.EXACTLY_ONCE);
    private static final LayoutRequest AT_LEAST_ONCE = new LayoutRequest(null, null, Delivery.AT_LEAST_ONCE);
    private static final LayoutRequest CLAIM = new LayoutRequest(OutboxMode.CLAIM, null, null);

    private final List<String> received = Collections.synchronizedList(new ArrayList<>());
    private final Ledger ledger =
            new Ledger(event -> received.add(event.payload().text()));
    private @Nullable TestDatabase database;

    @AfterEach
    void close() {
        if (database != null) {
            database.close();
        }
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                Arguments.of(OutboxLayout.log(4), List.of(ONCE, AT_LEAST_ONCE, ONCE)),
                Arguments.of(
                        OutboxLayout.log(4).delivering(Delivery.EXACTLY_ONCE),
                        List.of(new LayoutRequest(null, 2, null), CLAIM)),
                Arguments.of(
                        OutboxLayout.claim(), List.of(new LayoutRequest(OutboxMode.LOG, 3, Delivery.EXACTLY_ONCE))));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void nothingIsLostDoubledOrReorderedByAChange(OutboxLayout first, List<LayoutRequest> requests) {
        TestDatabase outbox = TestDatabase.withOutbox(first);
        try (BusyOutbox busy = new BusyOutbox(outbox)) {
            Ledger books = new Ledger(event -> busy.proof.received(event.id(), System.nanoTime()));
            busy.startWriters();
            for (LayoutRequest request : requests) {
                busy.startRelays(2, books);
                busy.letRelays(300);
                busy.stopRelays();
                busy.letWriters(100);
                LayoutChange.builder(outbox.dataSource())
                        .progress(System.out::println)
                        .destination(() -> books)
                        .build()
                        .alter(request, "ann");
            }
            busy.startRelays(2, books);
            busy.letRelays(300);
            DeliveryProof.Verdict verdict = busy.finish();

            assertThat(verdict.isKept())
                    .as("seed " + busy.seed + ": " + verdict)
                    .isTrue();
            assertThat(verdict.duplicates()).as("seed " + busy.seed).isZero();
        }
    }

    /** The database is a batch ahead of the destination, or the destination has what the relay never heard of. */
    @ParameterizedTest
    @EnumSource(names = {"LOST", "UNHEARD"})
    void lastTransactionCountsIfTheDestinationHasIt(Ledger.Commits fate) {
        beginTransactionThatEnds(fate);
        ledger.repair();

        alter(AT_LEAST_ONCE, false);

        deliver(6);
        assertThat(received).containsExactlyInAnyOrder("\"1\"", "\"2\"", "\"3\"", "\"4\"", "\"bad\"", "\"5\"");
    }

    @Test
    void withoutTheDestinationNothingIsChangedUnlessDuplicatesAreAccepted() {
        beginTransactionThatEnds(Ledger.Commits.UNHEARD);

        assertThatThrownBy(() -> alter(AT_LEAST_ONCE, false))
                .isInstanceOf(PostriderException.class)
                .hasMessageContaining("cannot be reached")
                .hasMessageContaining("--accept-duplicates");
        assertThat(database().one("select value from outbox_settings where name = 'mode'"))
                .isEqualTo("log");
        ledger.repair();
        ledger.loseAllPositions();
        assertThatThrownBy(() -> alter(AT_LEAST_ONCE, false))
                .hasMessageContaining("no position")
                .hasMessageContaining("--accept-duplicates");

        alter(AT_LEAST_ONCE, true);

        deliver(8);
        assertThat(received).containsOnlyOnce("\"1\"", "\"2\"", "\"bad\"", "\"5\"");
        assertThat(received.stream().filter("\"3\""::equals)).hasSize(2);
        assertThat(received.stream().filter("\"4\""::equals)).hasSize(2);
    }

    @Test
    void newLifeOfExactlyOnceDoesNotBelieveThePositionsOfAnOldOne() {
        outbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE));
        insert("a", "1");
        deliver(1);
        alter(AT_LEAST_ONCE, false);
        insert("a", "2");
        deliver(2);
        LayoutReport report = alter(ONCE, false);
        assertThat(report.newId()).isTrue();
        insert("a", "3");
        deliver(3);
        assertThat(received).containsExactly("\"1\"", "\"2\"", "\"3\"");
    }

    /** Events that were parked in an earlier life belong to batches of it, and must not be taken for uncommitted ones. */
    @Test
    void closedKeysStayClosedAcrossLives() {
        outbox(OutboxLayout.log(2).delivering(Delivery.EXACTLY_ONCE));
        for (int i = 0; i < 5; i++) {
            insert("others", "x");
            deliver(i + 1);
        }
        ledger.answer(event -> event.payload().text().contains("bad")
                ? new PublishResult.Rejected("not now", false)
                : new PublishResult.Accepted());
        insert("a", "bad");
        insert("a", "2");
        try (Relay relay = BusyOutbox.relay(database(), "relay", ledger)) {
            relay.start();
            await().until(() ->
                    database().one("select count(*) from outbox_parked").equals("2"));
        }
        ledger.answer(event -> new PublishResult.Accepted());

        alter(new LayoutRequest(null, 3, null), false);

        assertThat(database().one("select max(batch) from outbox_parked")).isEqualTo("0");
        database().execute("update outbox_parked set next_attempt_at = now() where state = 'FAILED'");
        deliver(7);
        assertThat(received.subList(5, 7)).containsExactly("\"bad\"", "\"2\"");
    }

    // ---- tools

    /** 1 and 2 were committed; 3 and 4 go out in a transaction that also parks a bad one; 5 is written afterwards. */
    private void beginTransactionThatEnds(Ledger.Commits fate) {
        outbox(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE));
        insert("a", "1");
        insert("a", "2");
        deliver(2);
        ledger.answer(event -> event.payload().text().contains("bad")
                ? new PublishResult.Rejected("not now", false)
                : new PublishResult.Accepted());
        database()
                .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload) values"
                        + " ('acme.order.paid.v1', 'order', 'a', '\"3\"'), ('acme.order.paid.v1', 'order', 'b', '\"bad\"'),"
                        + " ('acme.order.paid.v1', 'order', 'a', '\"4\"')");
        ledger.commits(fate);
        try (Relay relay = BusyOutbox.relay(database(), "relay", ledger)) {
            relay.start();
            await().until(() -> !ledger.isReachable());
        }
        assertThat(database().one("select count(*) from outbox_parked where batch > 0"))
                .isEqualTo("1");
        ledger.answer(event -> new PublishResult.Accepted());
        insert("a", "5");
    }

    private void deliver(int inAll) {
        if (database().one("select count(*) from outbox_parked").equals("1")) {
            database().execute("update outbox_parked set next_attempt_at = now()");
        }
        try (Relay relay = BusyOutbox.relay(database(), "relay", ledger)) {
            relay.start();
            await().until(() -> received.size() >= inAll);
        }
        assertThat(received).hasSize(inAll);
    }

    private LayoutReport alter(LayoutRequest request, boolean acceptDuplicates) {
        return LayoutChange.builder(database().dataSource())
                .destination(() -> ledger)
                .acceptDuplicates(acceptDuplicates)
                .build()
                .alter(request, "ann");
    }

    private void outbox(OutboxLayout layout) {
        database = TestDatabase.withOutbox(layout);
    }

    private TestDatabase database() {
        if (database == null) {
            throw new IllegalStateException("no outbox");
        }
        return database;
    }

    private void insert(String key, String body) {
        database()
                .execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                        + " values ('acme.order.paid.v1', 'order', '" + key + "', '\"" + body + "\"')");
    }
}
