package dev.postrider.tests.campaign;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every event that relays have recorded as a dead letter, in a table that a trigger fills within the same transaction. The
 * table of dead letters alone does not tell: operators take letters out of it, and when the outbox has been emptied its row
 * ids may belong to other events.
 */
final class Deaths {
    /** A letter that an operator's change of layout makes up for is not a relay's. */
    private static final List<String> POSTGRES = List.of("""
            create table campaign_death (seq bigint generated always as identity primary key, outbox_id bigint, event_id text)
            """, """
            create function campaign_note_death() returns trigger language plpgsql as $$
            begin
                if new.error_class <> 'no-letter' and (tg_op = 'INSERT' or new.died_at is distinct from old.died_at) then
                    insert into campaign_death (outbox_id, event_id) values (new.outbox_id, new.event_id::text);
                end if;
                return null;
            end $$
            """, """
            create trigger campaign_death after insert or update on outbox_dead_letter
            for each row execute function campaign_note_death()
            """);

    private static final List<String> MARIADB = List.of("""
            create table campaign_death (seq bigint auto_increment primary key, outbox_id bigint, event_id varchar(100))
            """, """
            create trigger campaign_death_first after insert on outbox_dead_letter
            for each row insert into campaign_death (outbox_id, event_id) values (new.outbox_id, new.event_id)
            """, """
            create trigger campaign_death_again after update on outbox_dead_letter
            for each row insert into campaign_death (outbox_id, event_id)
                select new.outbox_id, new.event_id from dual where not (new.died_at <=> old.died_at)
            """);

    private final Map<Long, List<String>> eventsOfRow = new HashMap<>();

    static void noteIn(Access access) throws SQLException {
        try (Connection connection = access.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : access.configuration().isMariaDb() ? MARIADB : POSTGRES) {
                statement.execute(sql);
            }
        }
    }

    static Deaths notedIn(Access access) throws SQLException {
        Deaths deaths = new Deaths();
        for (String row : access.rows("select outbox_id, event_id from campaign_death order by seq")) {
            String[] columns = row.split(" \\| ", 2);
            deaths.note(Long.parseLong(columns[0]), columns[1]);
        }
        return deaths;
    }

    void note(long row, String event) {
        eventsOfRow.computeIfAbsent(row, any -> new ArrayList<>()).add(event);
    }

    /** Deaths that were told more often than they were recorded. */
    List<String> invented(Map<Long, Integer> told, Map<Long, Integer> inFile) {
        List<String> invented = new ArrayList<>();
        told.forEach((row, times) -> {
            List<String> events = eventsOfRow.getOrDefault(row, List.of());
            int filed = inFile.getOrDefault(row, 0);
            if (times > events.size() + filed) {
                invented.add("row " + row + " was told " + times + " times as dead; " + filed
                        + " letters of it are in the file, and in the table those of " + events);
            }
        });
        return invented;
    }

    /** Events whose death was recorded and never told. One that dies again after a retry may be told once or twice. */
    List<String> untold(Map<Long, Integer> told) {
        List<String> untold = new ArrayList<>();
        eventsOfRow.forEach((row, deaths) -> {
            Set<String> events = new HashSet<>(deaths);
            int times = told.getOrDefault(row, 0);
            if (times < events.size()) {
                untold.add("row " + row + " was told " + times + " times as dead, and had the dead events " + events);
            }
        });
        return untold;
    }

    /** How often letters were recorded. */
    long count() {
        return eventsOfRow.values().stream().mapToLong(List::size).sum();
    }
}
