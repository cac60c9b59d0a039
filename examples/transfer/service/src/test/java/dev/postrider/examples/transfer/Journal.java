package dev.postrider.examples.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Every change of an event's state, noted by the database itself. */
final class Journal {
    private final JdbcClient jdbc;

    Journal(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * An event went from one state to another.
     *
     * @param due when it is to be sent again
     * @param noted when it did, by the database's clock
     */
    record Step(
            String was,
            String status,
            int attempts,
            @Nullable Instant due,
            Instant noted,
            @Nullable String error,
            @Nullable String relay) {}

    static void keep(JdbcClient jdbc) {
        jdbc.sql("""
                create table journal (
                    step bigint generated always as identity primary key,
                    event_id uuid, aggregate_id text, was text, status text, attempts integer, due timestamptz,
                    noted timestamptz, error text, relay text,
                    statement xid8 default pg_current_xact_id())
                """).update();
        jdbc.sql("""
                create function note_step() returns trigger language plpgsql as $$
                begin
                    insert into journal (event_id, aggregate_id, was, status, attempts, due, noted, error, relay)
                    values (new.event_id, new.aggregate_id, old.status, new.status, new.attempts, new.next_attempt_at,
                            new.updated_at, new.last_error, new.locked_by);
                    return null;
                end $$
                """).update();
        jdbc.sql("""
                create trigger note_step after update on transfer_events for each row
                when (new.status is distinct from old.status) execute function note_step()
                """).update();
    }

    /** Of the only event of this transfer. */
    List<Step> of(Object transfer) {
        return jdbc.sql("""
                        select was, status, attempts, due, noted, error, relay from journal where aggregate_id = ? order by step
                        """).param(transfer.toString()).query(Step.class).list();
    }

    /** How long the event was told to wait after each failure. */
    List<Duration> waitsOf(Object transfer) {
        return of(transfer).stream()
                .filter(step -> step.status().equals("FAILED"))
                .map(step -> Duration.between(step.noted(), due(step)))
                .toList();
    }

    /** How many events of transfers with this name got this state by each statement. */
    List<Integer> perStatement(String status, String transfers) {
        return jdbc.sql("""
                        select count(*) from journal where status = ? and aggregate_id like ? group by statement order by min(step)
                        """).params(status, transfers).query(Integer.class).list();
    }

    static Instant due(Step step) {
        if (step.due() == null) {
            throw new AssertionError(step + " is not due at any time");
        }
        return step.due();
    }
}
