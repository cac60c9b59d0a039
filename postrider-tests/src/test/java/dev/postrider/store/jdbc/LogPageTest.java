package dev.postrider.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.store.log.LogStore;
import dev.postrider.store.log.LogStore.Page;
import dev.postrider.store.log.LogStore.PageRequest;
import dev.postrider.store.log.LogStore.Row;
import dev.postrider.tests.support.TestDatabase;
import dev.postrider.write.ContentHash;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
        store = JdbcStores.log(OutboxTable.DEFAULT, layout, ContentHash.sha256());
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
            int last =
                    page.rows().isEmpty() ? 0 : size(page.rows().get(page.rows().size() - 1));
            assertThat(bytes - last).as("seed " + seed).isLessThan(2_000);
            read.addAll(ids(page));
        } while (!page.complete());

        assertThat(read).as("seed " + seed).hasSize(400).isSorted().doesNotHaveDuplicates();
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
        String now = database.one("select pg_current_snapshot()");
        return page(new PageRequest(0, afterId, EVERYTHING, now), maxEvents, maxBytes);
    }

    private Page page(long afterId, String hi, String lo) throws SQLException {
        return page(new PageRequest(0, afterId, lo, hi), 10, 1_000);
    }

    private Page page(PageRequest request, int maxEvents, long maxBytes) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            return store.read(connection, List.of(request), maxEvents, maxBytes).getOrDefault(0, Page.EMPTY);
        }
    }

    private static List<Long> ids(Page page) {
        return page.rows().stream().map(Row::id).toList();
    }

    private static int size(Row row) {
        return row.event() == null ? 0 : row.event().event().payload().bytes().length;
    }
}
