package dev.postrider.examples.logistics.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.postrider.OutboxAdmin;
import dev.postrider.examples.Requirement;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PollingTest {
    private final Worker worker = Worker.shared();
    private final Database database = Worker.sharedDatabase();

    /** The rows are written in another order than that in which they are due. */
    @Test
    @Requirement("L2")
    void takesFiftyAtATimeByDueTime() {
        database.run("""
                create table claimed (number bigint generated always as identity, claim xid8, event uuid)
                """);
        database.run("""
                create function note_claim() returns trigger language plpgsql as $$
                begin
                    insert into claimed (claim, event) values (pg_current_xact_id(), new.event_id);
                    return null;
                end $$
                """);
        database.run("""
                create trigger note_claim after update on outbox_events for each row
                when (new.status = 'SENDING' and old.status <> 'SENDING') execute function note_claim()
                """);
        try {
            database.run("""
                    insert into outbox_events (event_type, aggregate_type, aggregate_id, payload, next_attempt_at)
                    select 'logistics.order.placed', 'order', 'polled-' || n, '{}',
                           now() - (n * 37 % 120) * interval '1 s'
                    from generate_series(1, 120) as n
                    """);
            await().atMost(Worker.PATIENCE).until(() -> database.count("""
                    select count(*) from order_event_status where aggregate_id like 'polled-%' and status = 'PUBLISHED'
                    """) == 120);

            assertThat(database.list("select count(*) from claimed group by claim"))
                    .describedAs("events of each claim")
                    .allSatisfy(events ->
                            assertThat(Integer.parseInt(String.valueOf(events))).isLessThanOrEqualTo(50));
            // On a busy machine the worker may lose its lease and claim rows again: the first time counts.
            List<String> claims = database.list("""
                    select min(due.rank) || ' to ' || max(due.rank) || ', ' || count(*) from
                    (select event_id,
                            row_number() over (order by split_part(aggregate_id, '-', 2)::int * 37 % 120 desc) as rank
                     from outbox_events where aggregate_id like 'polled-%') as due
                    join (select distinct on (event) event, claim from claimed order by event, number) as first
                    on first.event = due.event_id group by first.claim order by first.claim
                    """);
            assertThat(claims.get(0)).isEqualTo("1 to 50, 50");
            assertThat(claims).describedAs("ranks by due time").isEqualTo(contiguous(claims));
        } finally {
            database.run("drop trigger note_claim on outbox_events");
            database.run("drop function note_claim");
            database.run("drop table claimed");
        }
    }

    /** The same claims, if each began where the one before it ended and left nothing out. */
    private static List<String> contiguous(List<String> claims) {
        List<String> expected = new ArrayList<>();
        int next = 1;
        for (String claim : claims) {
            int count = Integer.parseInt(claim.substring(claim.indexOf(", ") + 2));
            expected.add(next + " to " + (next + count - 1) + ", " + count);
            next += count;
        }
        return expected;
    }

    @Test
    @Requirement("L2")
    void rowsThatOthersHaveLockedAreSkipped() throws Exception {
        OutboxAdmin admin = OutboxAdmin.builder(database.dataSource())
                .table(Database.OUTBOX)
                .build();
        admin.pause("test", "so that nobody takes the row before it is locked");
        UUID locked;
        try (Connection other = database.dataSource().getConnection()) {
            // Relays learn of a pause when they renew their leases.
            await().atMost(Worker.PATIENCE).until(() -> worker.metric("outbox_paused") == 1);
            locked = database.insert("locked", "{}");
            UUID free = database.insert("free", "{}");
            other.setAutoCommit(false);
            Database.list(other, "select 1 from outbox_events where event_id = ?::uuid for update", locked);
            admin.resume("test");
            await().atMost(Worker.PATIENCE).until(() -> database.statusOf(free).equals("PUBLISHED"));
            assertThat(database.statusOf(locked)).isEqualTo("PENDING");
            await().atMost(Worker.PATIENCE).until(() -> worker.metric("outbox_oldest_age_seconds") > 0);
            other.rollback();
        } finally {
            admin.resume("test");
        }
        await().atMost(Worker.PATIENCE).until(() -> database.statusOf(locked).equals("PUBLISHED"));
    }
}
