package dev.postrider.tests.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxEvent;
import dev.postrider.RelayListener;
import dev.postrider.RelaySettings;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.log.Append;
import dev.postrider.internal.store.log.Cursor;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.publish.PublishResult;
import dev.postrider.testing.RecordingPublisher;
import dev.postrider.tests.support.AssembledRelay;
import dev.postrider.tests.support.CutDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Relays that lost a shard and do not know it yet. */
class FenceTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private LogOutbox outbox;

    /** What reached the destination, with the relay that sent it. */
    private final List<String> delivered = new CopyOnWriteArrayList<>();

    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch awake = new CountDownLatch(1);
    private final AtomicInteger fenced = new AtomicInteger();
    private CutDataSource network;
    private AssembledRelay zombie;

    @BeforeEach
    void open() throws SQLException {
        outbox = new LogOutbox(1);
        network = new CutDataSource(outbox.database().dataSource());
        zombie = new AssembledRelay(
                new AssembledRelay.Parts(outbox.store(), outbox.database().dataSource(), network.dataSource()),
                RecordingPublisher.answering(event -> {
                    if (event.payload().text().equals("2") && awake.getCount() > 0) {
                        asleep.countDown();
                        wait(awake);
                    }
                    delivered.add("zombie " + event.payload().text());
                    return new PublishResult.Accepted();
                }),
                LogOutbox.settings("zombie").leaseLength(LEASE).build(),
                new RelayListener() {
                    @Override
                    public void fenced(int events) {
                        fenced.addAndGet(events);
                    }
                });
    }

    @AfterEach
    void close() {
        awake.countDown();
        network.mend();
        zombie.close();
        outbox.close();
    }

    @Test
    void relayThatWakesUpAfterItsLeaseRecordsNothing() throws Exception {
        putToSleep();
        outbox.start(heir(), heirSettings());
        await().until(outbox::isDone);
        assertThat(delivered).containsExactly("zombie 1", "heir 1", "heir 2", "heir 3");
        List<String> cursor = cursor();

        awake.countDown();

        await().until(() -> fenced.get() > 0);
        assertThat(cursor()).isEqualTo(cursor);
        assertThat(delivered)
                .as("what was on its way may arrive once more")
                .startsWith("zombie 1", "heir 1", "heir 2", "heir 3", "zombie 2")
                .isSubsetOf("zombie 1", "heir 1", "heir 2", "heir 3", "zombie 2", "zombie 3");
        network.mend();
        outbox.insert("a", 4);
        await().until(() -> delivered.contains("heir 4") && outbox.isDone());
        assertEachStretchHasOneOwner();
    }

    @Test
    void heirThatHasRecordedNothingYetHasShutOutItsPredecessor() throws Exception {
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        putToSleep();
        outbox.start(
                RecordingPublisher.answering(event -> {
                    inHand.countDown();
                    wait(answered);
                    delivered.add("heir " + event.payload().text());
                    return new PublishResult.Accepted();
                }),
                heirSettings());
        inHand.await();
        List<String> cursor = cursor();

        awake.countDown();

        try {
            await().until(() -> fenced.get() > 0);
            assertThat(cursor()).isEqualTo(cursor);
        } finally {
            answered.countDown();
        }
        await().until(outbox::isDone);
        assertThat(delivered).contains("heir 1", "heir 2", "heir 3");
        assertEachStretchHasOneOwner();
    }

    @Test
    void relayThatGetsItsShardBackReadsItAgainFromTheCursor() throws Exception {
        putToSleep();
        var heir = outbox.start(heir(), heirSettings());
        await().until(outbox::isDone);
        heir.stop();
        network.mend();
        await().until(() -> outbox.database()
                .one("select count(*) from outbox_lease where name = 'shard/0' and owner like 'zombie%'")
                .equals("1"));

        awake.countDown();

        outbox.insert("a", 4);
        await().until(() -> delivered.contains("zombie 4") && outbox.isDone());
        assertThat(delivered.stream()
                        .map(one -> one.substring(one.length() - 1))
                        .distinct())
                .containsExactly("1", "2", "3", "4");
        assertEachStretchHasOneOwner();
    }

    @Test
    void failureIsToldOnlyWhenItIsRecorded() throws Exception {
        AtomicInteger refusedAppends = new AtomicInteger();
        AtomicBoolean broken = new AtomicBoolean(true);
        List<String> told = new CopyOnWriteArrayList<>();
        LogStore store = outbox.store();
        LogStore breaking = (LogStore) Proxy.newProxyInstance(
                LogStore.class.getClassLoader(), new Class<?>[] {LogStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("append") && broken.get()) {
                        refusedAppends.incrementAndGet();
                        throw new SQLException("so the test says");
                    }
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        outbox.insert("a", 1);
        try (AssembledRelay relay = new AssembledRelay(
                new AssembledRelay.Parts(
                        breaking,
                        outbox.database().dataSource(),
                        outbox.database().dataSource()),
                RecordingPublisher.answering(event -> new PublishResult.Rejected("no", true)),
                LogOutbox.settings("relay").build(),
                new RelayListener() {
                    @Override
                    public void failed(OutboxEvent event, String error, boolean counted) {
                        told.add("failed, " + letters());
                    }

                    @Override
                    public void dead(long id, String error) {
                        told.add("dead, " + letters());
                    }
                })) {
            relay.start();
            await().until(() -> refusedAppends.get() >= 2);
            assertThat(told).isEmpty();

            broken.set(false);
            await().until(() -> told.size() >= 2);
        }
        assertThat(told).containsExactly("failed, 1 dead letters", "dead, 1 dead letters");
    }

    private String letters() {
        return outbox.database().one("select count(*) from outbox_dead_letter") + " dead letters";
    }

    @Test
    void numberThatIsTakenOrOlderIsRefusedEvenIfItsRowIsGone() throws SQLException {
        outbox.insert("a", 1);
        outbox.start(RecordingPublisher.acceptingAll());
        await().until(outbox::isDone);
        outbox.database().execute("delete from outbox_cursor where seq < (select max(seq) from outbox_cursor)");
        List<String> before = cursor();
        try (Connection connection = outbox.database().dataSource().getConnection()) {
            Cursor newest = outbox.store().cursor(connection, 0);
            assertThat(newest).isNotNull();
            for (long seq = 0; seq <= newest.seq(); seq++) {
                assertThat(append(connection, newest, seq).fenced())
                        .as("seq " + seq)
                        .containsExactly(0);
            }
            assertThat(cursor()).isEqualTo(before);
            assertThat(append(connection, newest, newest.seq() + 1).fenced()).isEmpty();
        }
    }

    @Test
    void appendThatBreaksOffHalfwayMovesNoCursor() throws SQLException {
        outbox.insert("a", 1);
        List<String> before = cursor();
        // Too long to be counted in milliseconds, which is found out after the cursor was written.
        Settlement.Failed broken = new Settlement.Failed(
                new RowClaim(1, "", 0, 0, 0, 0, Duration.ZERO), "not now", Duration.ofSeconds(Long.MAX_VALUE), true);
        Append.Changes changes = new Append.Changes(
                List.of(broken),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        try (Connection connection = outbox.database().dataSource().getConnection()) {
            Cursor newest = outbox.store().cursor(connection, 0);
            assertThat(newest).isNotNull();
            Append append = new Append(0, newest.seq() + 1, newest.position(), LogStore.Floor.NONE, 0, changes);
            assertThatThrownBy(() -> outbox.store()
                            .append(
                                    connection,
                                    "test",
                                    outbox.store().cluster(connection),
                                    new LogStore.Recording(List.of(append), false, Set.of(), true)))
                    .isInstanceOf(ArithmeticException.class);
        }
        assertThat(cursor()).isEqualTo(before);
    }

    @Test
    void sameAppendMadeAgainAfterAnErrorIsNotTakenForAnothersOne() throws SQLException {
        try (Connection connection = outbox.database().dataSource().getConnection()) {
            Cursor newest = outbox.store().cursor(connection, 0);
            assertThat(newest).isNotNull();
            assertThat(append(connection, newest, 1).fenced()).isEmpty();

            assertThat(append(connection, newest, 1).fenced()).isEmpty();

            assertThat(outbox.database().one("select count(*) from outbox_cursor"))
                    .isEqualTo("2");
        }
    }

    private LogStore.Appended append(Connection connection, Cursor newest, long seq) throws SQLException {
        Append append = new Append(0, seq, newest.position(), LogStore.Floor.NONE, 0, Append.Changes.NONE);
        return outbox.store()
                .append(
                        connection,
                        "test",
                        outbox.store().cluster(connection),
                        new LogStore.Recording(List.of(append), false, Set.of(), true));
    }

    /** The relay has delivered 1, has 2 in hand, and its lease runs out. */
    private void putToSleep() throws Exception {
        outbox.insert("a", 1, 2, 3);
        zombie.start();
        asleep.await();
        network.cut();
    }

    private static void wait(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It looks for shards that nobody holds three times within its own lease. */
    private static RelaySettings.Builder heirSettings() {
        return LogOutbox.settings("heir").leaseLength(Duration.ofSeconds(9));
    }

    private RecordingPublisher heir() {
        return RecordingPublisher.answering(event -> {
            delivered.add("heir " + event.payload().text());
            return new PublishResult.Accepted();
        });
    }

    private List<String> cursor() {
        return outbox.database().column("select c::text from outbox_cursor c order by seq");
    }

    /** Each fence begins a stretch of rows, all of the one who set it. */
    private void assertEachStretchHasOneOwner() {
        assertThat(outbox.database()
                        .column("select distinct f.owner || ' <> ' || c.owner from outbox_cursor c"
                                + " cross join lateral (select f.owner from outbox_cursor f"
                                + " where f.shard = c.shard and f.fence and f.seq <= c.seq order by f.seq desc limit 1) f"
                                + " where f.owner <> c.owner"))
                .isEmpty();
        assertThat(outbox.database().one("select count(*) = max(seq) + 1 from outbox_cursor"))
                .as("no number is missing")
                .isEqualTo("t");
    }
}
