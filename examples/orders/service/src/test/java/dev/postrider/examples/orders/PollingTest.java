package dev.postrider.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.examples.Requirement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events that nobody tells the relay of, since they are written by SQL: polling finds them. */
class PollingTest extends OrderServiceTest {

    @BeforeEach
    void noteWhatIsClaimedTogether() {
        jdbc.sql("create table claimed (claim xid8, event uuid)").update();
        jdbc.sql("""
                create function note_claim() returns trigger language plpgsql as $$
                begin
                    insert into claimed values (pg_current_xact_id(), new.event_id);
                    return null;
                end $$
                """).update();
        jdbc.sql("""
                create trigger note_claim after update on outbox for each row
                when (new.status = 'SENDING' and old.status <> 'SENDING') execute function note_claim()
                """).update();
    }

    @AfterEach
    void noteNoLonger() {
        jdbc.sql("drop trigger note_claim on outbox").update();
        jdbc.sql("drop function note_claim").update();
        jdbc.sql("drop table claimed").update();
    }

    @Test
    @Requirement("O2")
    void takesTenAtATimeOldestFirst() {
        jdbc.sql("""
                insert into outbox (event_type, aggregate_type, aggregate_id, payload)
                select 'shop.order.placed', 'order', 'polled-' || n, '{}' from generate_series(1, 25) as n
                """).update();

        String sent = "select count(*) from order_outbox where aggregate_id like 'polled-%' and status = 'SENT'";
        await().atMost(PATIENCE).until(() -> jdbc.sql(sent).query(Integer.class).single() == 25);

        List<UUID> written = jdbc.sql("select event_id from outbox where aggregate_id like 'polled-%' order by id")
                .query(UUID.class)
                .list();
        assertThat(Sends.order().stream().filter(written::contains)).isEqualTo(written);
        assertThat(jdbc.sql("select count(*) from claimed group by claim order by claim")
                        .query(Integer.class)
                        .list())
                .describedAs("events of each claim")
                .containsExactly(10, 10, 5);
    }
}
