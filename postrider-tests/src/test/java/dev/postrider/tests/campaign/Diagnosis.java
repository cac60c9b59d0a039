package dev.postrider.tests.campaign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What a person wants to see when a campaign has found something. */
final class Diagnosis {
    private static final int TAIL = 8;

    private static final String LOG_ROW = """
            select 'row ' || o.id, 'shard ' || s.shard, 'lease ' || coalesce(l.owner, 'nobody'),
                   case when d.outbox_id is not null then 'dead: ' || d.reason
                        when f.outbox_id is not null then 'parked ' || f.state || ', attempts ' || f.attempts
                             || ', next ' || coalesce(f.next_attempt_at::text, 'none') || ', ' || coalesce(f.last_error, '')
                        when pg_visible_in_snapshot(o.tx_id, c.lo)
                          or (c.hi is not null and pg_visible_in_snapshot(o.tx_id, c.hi) and o.id <= c.last_id)
                             then 'behind the cursor'
                        else 'ahead of the cursor' end
            from outbox o
            cross join lateral (select (o.key_hash & 9223372036854775807)
                                       % (select value::bigint from outbox_settings where name = 'shards') as shard) s
            left join outbox_parked f on f.outbox_id = o.id
            left join outbox_dead_letter d on d.outbox_id = o.id
            left join outbox_lease l on l.name = 'shard/' || s.shard
            left join lateral (select * from outbox_cursor c where c.shard = s.shard order by seq desc limit 1) c on true
            where o.event_id = '%s'
            """;

    private static final String CLAIM_ROW = """
            select concat('row ', o.id), o.status, concat('attempts ', o.attempts), concat('next ', o.next_attempt_at),
                   concat('locked by ', o.locked_by), concat('version ', o.version), o.last_error, d.reason,
                   (select concat('first open of its key: row ', e.id, ' ', e.status)
                    from outbox e where e.key_hash = o.key_hash and e.status not in ('PUBLISHED', 'DEAD_LETTER')
                    order by e.id limit 1)
            from outbox o
            left join outbox_dead_letter d on d.outbox_id = o.id
            where o.event_id = '%s'
            """;

    private final Access access;
    private final Relays relays;

    Diagnosis(Access access, Relays relays) {
        this.access = access;
        this.relays = relays;
    }

    /** Where an event is. */
    String whereIs(UUID event) {
        String sql = access.configuration().isLog() ? LOG_ROW : CLAIM_ROW;
        return event + ": " + asked(sql.replace("%s", event.toString()), "no such row");
    }

    List<String> leases() {
        return List.of("leases: " + asked("select name, owner, expires_at, state from outbox_lease order by name", ""));
    }

    private String asked(String sql, String otherwise) {
        try {
            List<String> rows = access.rows(sql);
            return rows.isEmpty() ? otherwise : String.join(System.lineSeparator() + "  ", rows);
        } catch (SQLException e) {
            return "the database does not say: " + e.getMessage();
        }
    }

    /** Threads of all relays go to their logs; the ends of the logs as they were before are returned. */
    List<String> relays() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (RelayChild relay : relays.all()) {
            Path log = relay.log();
            lines.add(relay.name() + ", threads in " + log + "; it said last:");
            List<String> all = Files.exists(log)
                    ? Files.readString(log, StandardCharsets.UTF_8).lines().toList()
                    : List.of();
            all.subList(Math.max(0, all.size() - TAIL), all.size()).forEach(line -> lines.add("    " + line));
            relay.dumpThreads();
        }
        return lines;
    }
}
