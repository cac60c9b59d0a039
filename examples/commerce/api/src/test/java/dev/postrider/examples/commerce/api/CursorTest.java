package dev.postrider.examples.commerce.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.EventStatus;
import dev.postrider.Relay;
import dev.postrider.examples.Requirement;
import dev.postrider.housekeeping.HousekeepingSettings;
import dev.postrider.publish.Slf4jPublisher;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The table of the cursor: a history, in which nothing is changed. */
class CursorTest extends CommerceApiTest {

    @Test
    @Requirement("C5")
    void rowsOfTheCursorAreAddedAndNeverChanged() {
        jdbc.sql("create table cursor_changes (seq bigint)").update();
        jdbc.sql("""
                create function note_change() returns trigger language plpgsql as $$
                begin
                    insert into cursor_changes values (old.seq);
                    return coalesce(new, old);
                end $$
                """).update();
        jdbc.sql("create trigger note_change before update or delete on outbox_cursor for each row"
                        + " execute function note_change()")
                .update();
        Product product = product(1);
        long before = rows();

        for (int views = 1; views <= 3; views++) {
            catalog.view(product.id(), "ann");
            awaitArrived(VIEWS, product.id(), views);
            await().atMost(PATIENCE).until(() -> admin.status().count(EventStatus.PENDING) == 0);
        }

        assertThat(rows()).isGreaterThanOrEqualTo(before + 3);
        assertThat(jdbc.sql("select count(*) from cursor_changes")
                        .query(Long.class)
                        .single())
                .isZero();
        assertThat(jdbc.sql("select seq from outbox_cursor order by at, seq")
                        .query(Long.class)
                        .list())
                .isSorted();
    }

    private long rows() {
        return jdbc.sql("select count(*) from outbox_cursor").query(Long.class).single();
    }

    /** With the housekeeping of this application, in a database where eight days have gone by. */
    @Test
    @Requirement("C14")
    void historyOfTheCursorIsKeptForSevenDaysAndItsNewestRowsForEver(@Autowired HousekeepingSettings housekeeping) {
        DataSource old = new DriverManagerDataSource(
                Servers.migratedDatabase("history"), Servers.POSTGRES.user(), Servers.POSTGRES.password());
        JdbcClient oldJdbc = JdbcClient.create(old);
        relayUntil(old, housekeeping, oldJdbc, "select count(*) > 0 from outbox_cursor");
        oldJdbc.sql("update outbox_cursor set seq = seq + 1000, at = now() - interval '9 days'")
                .update();
        oldJdbc.sql("""
                insert into outbox_cursor (shard, seq, lo, hi, last_id, owner, system_id, timeline, at)
                select shard, c.seq - n, lo, hi, last_id, owner, system_id, timeline,
                       date_trunc('minute', now()) - case when n <= 200 then interval '6 days' else interval '8 days' end
                from (select * from outbox_cursor order by seq desc limit 1) c, generate_series(100, 300) n
                """).update();

        relayUntil(old, housekeeping, oldJdbc, """
                select not exists (select 1 from outbox_cursor
                                   where at < now() - interval '7 days' and seq < (select max(seq) - 100 from outbox_cursor))
                """);

        assertThat(oldJdbc.sql("select count(*) from outbox_cursor where at < now() - interval '5 days' and seq < 1000")
                        .query(Long.class)
                        .single())
                .describedAs("rows of one minute, six days ago")
                .isEqualTo(101);
        assertThat(oldJdbc.sql("select count(*) from outbox_cursor where at < now() - interval '8 days'")
                        .query(Long.class)
                        .single())
                .describedAs("the newest, though they are old")
                .isPositive();
    }

    private static void relayUntil(
            DataSource database, HousekeepingSettings housekeeping, JdbcClient jdbc, String condition) {
        Relay relay = Relay.builder(database, Slf4jPublisher.withoutPayloads())
                .housekeeping(housekeeping)
                .build();
        relay.start();
        try {
            await().atMost(PATIENCE)
                    .until(() -> jdbc.sql(condition).query(Boolean.class).single());
        } finally {
            relay.stop();
        }
    }
}
