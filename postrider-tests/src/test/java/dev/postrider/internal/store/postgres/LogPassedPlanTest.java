package dev.postrider.internal.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import dev.postrider.tests.support.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a look for passed rows costs when the cursors have a long history, told by the rows it reads, never by a clock. */
class LogPassedPlanTest {
    private static final Pattern CURSORS = Pattern.compile(
            " on outbox_cursor .*\\(actual rows=(\\d+)(?:\\.\\d+)? loops=(\\d+)\\)(?:\\n +(?:Index Cond|Filter): .*)*"
                    + "(?:\\n +Rows Removed by Filter: (\\d+))?");
    private static final int ROWS = 1_000;

    /** Half of the marks belong to a file that the sequence has no more, and half of the rows were written under them. */
    @Test
    void eachRowCostsOneMarkHoweverManyThereAre() throws SQLException {
        try (TestDatabase database = TestDatabase.withOutbox(OutboxLayout.log(1))) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " select 'acme.a.b.v1', 'a', n::text, '1' from generate_series(1, " + ROWS + ") n");
            database.execute("update outbox set tx_id = (case when id % 2 = 0 then '40000' else '90000' end)::xid8");
            database.execute("insert into outbox_cursor"
                    + " (shard, seq, lo, owner, system_id, timeline, sequence, floor, tx_id)"
                    + " select c.shard, c.seq + n, c.lo, c.owner, c.system_id, c.timeline,"
                    + " case when n <= 50000 then 1 else s.relfilenode::bigint end, 0, n::text::xid8"
                    + " from outbox_cursor c join pg_class s on s.oid = 'outbox_id_seq'::regclass"
                    + " cross join generate_series(1, 100000) n");

            assertEachRowCostsOneMark(database, "before statistics were taken");
            database.execute("analyze");
            assertEachRowCostsOneMark(database, "with statistics");
        }
    }

    private static void assertEachRowCostsOneMark(TestDatabase database, String when) throws SQLException {
        String plan = explain(database);
        Matcher scan = CURSORS.matcher(plan);
        long read = 0;
        while (scan.find()) {
            long removed = scan.group(3) == null ? 0 : Long.parseLong(scan.group(3));
            read += (Long.parseLong(scan.group(1)) + removed) * Long.parseLong(scan.group(2));
        }
        assertThat(read).as(when + "\n" + plan).isLessThanOrEqualTo(ROWS);
        assertThat(plan).as(when).contains("using outbox_cursor_tx").doesNotContain("Seq Scan on outbox_cursor");
    }

    /** The plan that a relay's session has for the prepared statement. */
    private static String explain(TestDatabase database) throws SQLException {
        PostgresLogSql sql = new PostgresLogSql(OutboxTable.DEFAULT, 1);
        LogStore store = new PostgresLogStore(OutboxTable.DEFAULT, 1, ContentHash.sha256());
        try (Connection connection = database.transaction();
                Statement session = connection.createStatement()) {
            new PostgresStore(OutboxTable.DEFAULT, ContentHash.sha256()).prepareRelaySession(connection);
            store.prepareSession(connection);
            String numbered = sql.findPassed;
            for (int parameter = 1; numbered.contains("?"); parameter++) {
                numbered = numbered.replaceFirst("\\?", "\\$" + parameter);
            }
            session.execute("prepare look as " + numbered);
            List<String> plan = new ArrayList<>();
            try (ResultSet lines =
                    session.executeQuery("explain (analyze, timing off) execute look(0, " + ROWS + ", 0)")) {
                while (lines.next()) {
                    plan.add(lines.getString(1));
                }
            }
            session.execute("deallocate look");
            connection.rollback();
            return String.join("\n", plan);
        }
    }
}
