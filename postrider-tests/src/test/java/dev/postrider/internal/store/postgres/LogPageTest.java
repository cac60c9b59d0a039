package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.DatabaseFamily;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.database.Databases;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.store.log.LogStore.Bytes;
import dev.postrider.internal.store.log.LogStore.Page;
import dev.postrider.internal.store.log.LogStore.PageRequest;
import dev.postrider.internal.store.log.LogStore.Queue;
import dev.postrider.internal.store.log.LogStore.QueueRequest;
import dev.postrider.internal.store.log.LogStore.Row;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pages are bounded by count and by bytes, whatever the sizes of the events. */
class LogPageTest {
    private static final String EVERYTHING = "3:3:";

    private TestDatabase database;
    private LogStore store;

    @BeforeEach
    void start() {
        OutboxLayout layout = OutboxLayout.log(1);
        database = TestDatabase.withOutbox(layout);
        store = Databases.of(DatabaseFamily.POSTGRESQL).logStore(OutboxTable.DEFAULT, layout, ContentHash.sha256());
    }

    @AfterEach
    void stop() {
        database.close();
    }

    @Test
    void pageEndsBeforeTheFirstLargeEvent() throws SQLException {
        write(10, 20, 5_000, 30);

        Page page = page(0, 10, 1_000);

        assertThat(ids(page)).containsExactly(1L, 2L);
        assertThat(page.complete()).isFalse();
    }

    @Test
    void largeEventComesEvenIfItIsAllThatFits() throws SQLException {
        write(5_000, 5_000, 10);

        Page page = page(0, 10, 1_000);

        assertThat(ids(page)).containsExactly(1L);
        assertThat(page.complete()).isFalse();
    }

    @Test
    void pageWithoutLargeEventsEndsWithTheWindow() throws SQLException {
        write(10, 20, 30);

        Page page = page(0, 10, 1_000);

        assertThat(ids(page)).containsExactly(1L, 2L, 3L);
        assertThat(page.complete()).isTrue();
        assertThat(page(3, 10, 1_000).complete()).isTrue();
    }

    @Test
    void nothingIsLeftOutBetweenPagesAndNoPageIsTooLarge() throws SQLException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[] sizes = random.ints(400, 0, 100)
                .map(any -> random.nextInt(10) == 0 ? 500 + random.nextInt(3_000) : 10 + random.nextInt(90))
                .toArray();
        write(sizes);

        List<Long> read = new ArrayList<>();
        Page page;
        do {
            page = page(read.isEmpty() ? 0 : read.get(read.size() - 1), 20, 2_000);
            int bytes = page.rows().stream().mapToInt(LogPageTest::size).sum();
            // A last page that ends exactly with the window does not know it: then the one behind it is empty.
            assertThat(page.rows()).as("seed " + seed).hasSizeBetween(page.complete() ? 0 : 1, 20);
            assertThat(page.rows().size() == 1 || bytes <= 2_000)
                    .as("seed " + seed)
                    .isTrue();
            read.addAll(ids(page));
        } while (!page.complete());

        assertThat(read).as("seed " + seed).hasSize(400).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void eventLargerThanTheLimitIsUnsendableAndCountsNothing() throws SQLException {
        write(900, 5_000, 5_000, 900, 900, 900);

        Page page = page(new PageRequest(0, 0, EVERYTHING, now()), 10, new Bytes(3_000, 2_000));

        assertThat(ids(page)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(page.rows())
                .filteredOn(row -> row.unsendable() != null)
                .extracting(Row::id)
                .containsExactly(2L, 3L);
        assertThat(page.rows().get(1).unsendable().errorClass()).isEqualTo("too-large");
        assertThat(page.complete()).isFalse();
    }

    @Test
    void eventThatIsSmallInTheDatabaseCountsAsWhatItIs() throws SQLException {
        database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                + " select 'Made', 'Thing', '1', (repeat(' ', 300000) || n)::json from generate_series(1, 5) n");
        assertThat(Integer.parseInt(database.one("select max(pg_column_size(payload)) from outbox")))
                .isLessThan(10_000);

        Page page = page(0, 10, 1_000_000);
        Page none = page(new PageRequest(0, 0, EVERYTHING, now()), 10, new Bytes(1_000_000, 299_999));

        assertThat(ids(page)).containsExactly(1L, 2L, 3L);
        assertThat(none.rows()).hasSize(5).allMatch(row -> row.unsendable() != null);
        assertThat(none.complete()).isTrue();
    }

    @Test
    void pagesOfSeveralShardsShareTheBytes() throws SQLException {
        try (TestDatabase several = TestDatabase.withOutbox(OutboxLayout.log(4))) {
            LogStore log = Databases.of(DatabaseFamily.POSTGRESQL)
                    .logStore(OutboxTable.DEFAULT, OutboxLayout.log(4), ContentHash.sha256());
            several.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'Made', 'Thing', n::text, ('\"' || repeat('x', 10000) || '\"')::json"
                    + " from generate_series(1, 200) n");
            String end = several.one("select pg_current_snapshot()");
            List<PageRequest> requests = IntStream.range(0, 4)
                    .mapToObj(shard -> new PageRequest(shard, 0, EVERYTHING, end))
                    .toList();
            try (Connection connection = several.dataSource().getConnection()) {
                Map<Integer, Page> pages = log.read(connection, requests, 100, new Bytes(65_000, 20_000));
                assertThat(pages.values()).hasSize(4).noneMatch(Page::complete);
                assertThat(pages.values().stream()
                                .mapToInt(page -> page.rows().size())
                                .sum())
                        .isEqualTo(6);

                Map<Integer, Page> few = log.read(connection, requests, 100, new Bytes(1, 20_000));
                assertThat(few.values()).hasSize(4).noneMatch(Page::complete);
                assertThat(few.values().stream()
                                .mapToInt(page -> page.rows().size())
                                .sum())
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void queuesOfSeveralKeysShareTheBytesInTurn() throws SQLException {
        for (int key = 1; key <= 4; key++) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'Made', 'Thing', '" + key + "', ('\"' || repeat('x', 10000) || '\"')::json"
                    + " from generate_series(1, 200) n");
        }
        database.execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds)"
                + " select id, 0, key_hash, 'QUEUED', true from outbox");
        // The second key waits for its retry, and the third begins with an event that is too large.
        database.execute("update outbox_parked set state = 'FAILED', next_attempt_at = now() + interval '1 hour'"
                + " where outbox_id = 201");
        database.execute("update outbox set payload = ('\"' || repeat('x', 30000) || '\"')::json where id = 401");
        List<QueueRequest> keys = IntStream.of(1, 201, 401, 601)
                .mapToObj(id -> new QueueRequest(
                        0, Long.parseLong(database.one("select key_hash from outbox where id = " + id))))
                .toList();

        List<Queue> queues = queues(keys, new Bytes(45_000, 20_000));

        assertThat(queues).hasSize(4);
        assertThat(rowIds(queues.get(0))).containsExactly(1L, 2L);
        assertThat(rowIds(queues.get(1))).isEmpty();
        assertThat(rowIds(queues.get(2))).containsExactly(401L, 402L);
        assertThat(queues.get(2).rows().get(0).unsendable().errorClass()).isEqualTo("too-large");
        assertThat(rowIds(queues.get(3))).startsWith(601L);
        assertThat(queues.stream().mapToInt(queue -> queue.rows().size()).sum()).isEqualTo(5);

        List<Queue> one = queues(keys, new Bytes(1, 20_000));

        assertThat(one)
                .extracting(Queue::keyHash)
                .as("the last one has its turn later")
                .containsExactly(keys.get(0).keyHash(), keys.get(1).keyHash());
    }

    private List<Queue> queues(List<QueueRequest> keys, Bytes limits) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return store.queues(connection, keys, 200, limits);
        }
    }

    private static List<Long> rowIds(Queue queue) {
        return queue.rows().stream().map(Row::id).toList();
    }

    @Test
    void whatIsNotVisibleAtTheEndOfTheWindowIsNotReadYet() throws SQLException {
        write(10);
        try (Connection open = database.transaction()) {
            open.createStatement().execute(insert(20));
            write(30);

            String now = database.one("select pg_current_snapshot()");
            Page page = page(0, now, EVERYTHING);
            open.commit();
            String later = database.one("select pg_current_snapshot()");

            assertThat(ids(page)).containsExactly(1L, 3L);
            assertThat(ids(page(0, later, now))).containsExactly(2L);
            assertThat(ids(page(0, later, EVERYTHING))).containsExactly(1L, 2L, 3L);
        }
    }

    private void write(int... sizes) {
        for (int size : sizes) {
            database.execute(insert(size));
        }
    }

    private static String insert(int size) {
        return "insert into outbox (event_type, aggregate_type, aggregate_id, payload) values ('Made', 'Thing', '1', '\""
                + "x".repeat(size - 2) + "\"')";
    }

    private Page page(long afterId, int maxEvents, long maxBytes) throws SQLException {
        return page(new PageRequest(0, afterId, EVERYTHING, now()), maxEvents, new Bytes(maxBytes, Long.MAX_VALUE));
    }

    private String now() {
        return database.one("select pg_current_snapshot()");
    }

    private Page page(long afterId, String hi, String lo) throws SQLException {
        return page(new PageRequest(0, afterId, lo, hi), 10, new Bytes(1_000, Long.MAX_VALUE));
    }

    private Page page(PageRequest request, int maxEvents, Bytes limits) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return store.read(connection, List.of(request), maxEvents, limits).getOrDefault(0, Page.EMPTY);
        }
    }

    private static List<Long> ids(Page page) {
        return page.rows().stream().map(Row::id).toList();
    }

    private static int size(Row row) {
        return row.event() == null ? 0 : row.event().event().payload().bytes().length;
    }
}
