package dev.postrider.tests.support;

import java.util.List;

/** Brings the tables of a log-mode outbox into the states in which its relays leave them. */
public final class LogTables {
    private final TestDatabase database;

    public LogTables(TestDatabase database) {
        this.database = database;
    }

    public void clear() {
        database.execute("truncate outbox, outbox_parked, outbox_dead_letter, outbox_audit restart identity;"
                + " delete from outbox_cursor where seq > 0");
    }

    public void insert(String id, String... bodies) {
        for (String body : bodies) {
            database.execute("insert into outbox (event_type, aggregate_type, aggregate_id, payload)"
                    + " values ('acme.order.paid.v1', 'order', '" + id + "', '\"" + body + "\"')");
        }
    }

    /** Every event that is there is behind the cursor of its shard. */
    public void readAll() {
        append("pg_current_snapshot()", "null", "0");
    }

    /** A window over all that is there is open, and its events up to this id are behind the cursor. */
    public void readUpTo(long id) {
        append("n.lo", "pg_current_snapshot()", String.valueOf(id));
    }

    private void append(String lo, String hi, String lastId) {
        database.execute("insert into outbox_cursor (shard, seq, lo, hi, last_id, owner, system_id, timeline)"
                + " select distinct on (n.shard) n.shard, n.seq + 1, " + lo + ", " + hi + ", " + lastId
                + ", 'test', n.system_id, n.timeline from outbox_cursor n order by n.shard, n.seq desc");
    }

    /** With {@code dead-letter.then: continue}. */
    public void bury(long id) {
        bury(id, "Poison", "it is bad");
    }

    public void bury(long id, String errorClass, String reason) {
        database.execute(
                "insert into outbox_dead_letter (outbox_id, event_id, event_type, aggregate_type, aggregate_id,"
                        + " event_key, source, payload, payload_binary, content_type, headers, request_id, content_hash,"
                        + " occurred_at, created_at, attempts, max_retries, error_class, reason, first_failed_at)"
                        + " select id, event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload,"
                        + " payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at, 1,"
                        + " max_retries, '" + errorClass + "', '" + reason
                        + "', clock_timestamp() from outbox where id = " + id);
    }

    /** With {@code dead-letter.then: hold-key}. */
    public void buryAndHold(long id) {
        bury(id);
        hold(id, true);
    }

    /** The letter went to the file. */
    public void hold(long id, boolean holds) {
        database.execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds, batch, last_error)"
                + " select id, (key_hash & 9223372036854775807) % (select value::integer from outbox_settings where name ="
                + " 'shards'), key_hash, 'DEAD', " + holds + ", 7, 'it is bad' from outbox where id = " + id
                + " on conflict (outbox_id) do update set state = 'DEAD', holds = excluded.holds,"
                + " next_attempt_at = null");
    }

    /** It waits for its next attempt, with its whole envelope. */
    public void fail(long id) {
        database.execute("insert into outbox_parked (outbox_id, shard, key_hash, state, holds, event_id, event_type,"
                + " aggregate_type, aggregate_id, event_key, source, payload, payload_binary, content_type, headers,"
                + " request_id, content_hash, occurred_at, created_at, attempts, max_retries, next_attempt_at,"
                + " first_failed_at, last_error)"
                + " select id, (key_hash & 9223372036854775807) % (select value::integer from outbox_settings where name ="
                + " 'shards'), key_hash, 'FAILED', true, event_id, event_type, aggregate_type, aggregate_id, event_key,"
                + " source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,"
                + " created_at, 3, max_retries, clock_timestamp() + interval '1 hour', clock_timestamp(), 'it is bad'"
                + " from outbox where id = " + id);
    }

    /** The owners have fulfilled the requests of operators, and everything that could be sent was sent. */
    public void fulfilRequests() {
        database.execute("delete from outbox_parked where state in ('RETRY', 'DISCARD')");
    }

    /** As relays write them into the file when the table does not take the letters. */
    public List<String> describe() {
        return database.column("select translate(row_to_json(r)::text, E'\\n\\r', '  ')"
                + " from (select id, event_id, event_type, aggregate_type, aggregate_id, event_key, source,"
                + " payload::text as payload_text, payload_binary, content_type, headers, request_id, content_hash,"
                + " occurred_at, created_at, 0 as attempts, max_retries, null::timestamptz as first_failed_at,"
                + " 'it is bad' as last_error from outbox order by id) r");
    }

    /** Id, state, whether the key is held, and the payload of everything beside the log. */
    public List<String> parked() {
        return database.column("select concat_ws('|', outbox_id, state, case when holds then 'holds' end,"
                + " payload::text, encode(payload_binary, 'hex')) from outbox_parked order by outbox_id");
    }
}
