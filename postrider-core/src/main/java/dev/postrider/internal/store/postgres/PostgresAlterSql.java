package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;

/**
 * Every statement that changes the layout of an outbox on PostgreSQL. Nothing but the checked table names and the number
 * of shards is ever put into the text.
 *
 * <p>A transaction that changes {@code tx_id} of rows has got its number after the snapshot was taken, so that the rows
 * are invisible in it: that is how an event is put ahead of a cursor.
 */
final class PostgresAlterSql {
    private PostgresAlterSql() {}

    static String forTable(OutboxTable table, String statement) {
        return PostgresSql.forTable(table, statement)
                .replace("{log_row}", PostgresLayoutSql.logRow(table))
                .replace("{name}", table.name());
    }

    static String forLayout(OutboxTable table, OutboxLayout layout, String statement) {
        return forTable(table, statement)
                .replace("{shard}", PostgresLayoutSql.shardOf("o.", layout.shards()))
                .replace("{shards}", Integer.toString(layout.shards()));
    }

    // ---- the session

    /** Each walk has one good plan, along an index. */
    static final String PREPARE_SESSION = """
            set lock_timeout = '30s';
            set statement_timeout = 0;
            set idle_in_transaction_session_timeout = 0;
            set default_transaction_isolation = 'read committed';
            set plan_cache_mode = 'force_custom_plan';
            set enable_seqscan = off;
            set jit = off
            """;

    static final String RESTORE_SESSION = """
            reset lock_timeout;
            reset statement_timeout;
            reset idle_in_transaction_session_timeout;
            reset default_transaction_isolation;
            reset plan_cache_mode;
            reset enable_seqscan;
            reset jit
            """;

    /** The operators' lock, for as long as the session keeps it: indexes cannot be built within a transaction. */
    static final String LOCK = "select pg_advisory_lock(hashtextextended(?, 0))";

    static final String UNLOCK = "select pg_advisory_unlock(hashtextextended(?, 0))";

    // ---- what is under way

    static final String SETTINGS = """
            select name, value from {settings}
            """;

    static final String PUT = """
            insert into {settings} (name, value) values (?, ?)
            on conflict (name) do update set value = excluded.value
            """;

    static final String PUT_IF_ABSENT = """
            insert into {settings} (name, value) values (?, ?)
            on conflict (name) do nothing
            """;

    static final String FORGET = """
            delete from {settings} where name = any (?)
            """;

    static final String NEW_ID = """
            update {settings} set value = gen_random_uuid()::text where name = 'outbox_id'
            """;

    static final String ALIVE = """
            select name, owner, extract(epoch from expires_at - clock_timestamp()) as remaining
            from {lease}
            where (name like 'relay/%' or name like 'shard/%') and expires_at > clock_timestamp()
            order by name
            """;

    // ---- indexes and the default

    static final String INDEX = """
            select i.indisvalid as valid
            from pg_index i join pg_class c on c.oid = i.indexrelid
            where i.indrelid = '{outbox}'::regclass and c.relname = ?
            """;

    /** Waiting for it makes writers wait. */
    static final String BRIEFLY = "set local lock_timeout = '2s'";

    static final String DEFAULT_LOG = """
            alter table {outbox} alter column status set default 'LOG';

            """ + PostgresLayoutSql.NO_LOG_ROWS + PostgresLayoutSql.LOG_ROWS;

    static final String DEFAULT_PENDING = """
            alter table {outbox} alter column status set default 'PENDING';

            """ + PostgresLayoutSql.NO_LOG_ROWS;

    /** Without the texts of their statements, in which payloads may stand. */
    static final String USERS = """
            select case
                       when l.pid is null then 'prepared transaction ' || coalesce(p.gid, '')
                       else 'process ' || l.pid || ' ('
                           || concat_ws(', ', nullif(a.application_name, ''), a.state, 'in its transaction for '
                               || round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.backend_start)))
                               || ' s') || ')'
                   end
            from pg_locks l
            left join pg_stat_activity a on a.pid = l.pid
            left join pg_prepared_xacts p on l.pid is null and l.virtualtransaction = '-1/' || p.transaction
            where l.locktype = 'relation' and l.relation = '{outbox}'::regclass and l.granted
              and l.database = (select oid from pg_database where datname = current_database())
              and l.pid is distinct from pg_backend_pid()
            order by coalesce(a.xact_start, p.prepared)
            limit 3
            """;

    // ---- moving events

    static final String SNAPSHOT = "select pg_current_snapshot()::text";

    static final String LAST_ID = """
            select coalesce(max(id), 0) from {outbox}
            """;

    /** The floor of the newest mark below every transaction that has ended since the cursor's window began. */
    static final String FIRST_AHEAD = """
            select coalesce((
                select case when min(m.floor) <= now.last_id then min(m.floor) end
                from {cursor} m
                where m.sequence = now.sequence
                  and m.tx_id >= (
                    select b.tx_id from {cursor} b
                    where b.sequence = now.sequence
                      and b.tx_id < least(
                        pg_snapshot_xmax(c.lo),
                        (select x from pg_snapshot_xip(c.lo) x
                         where pg_visible_in_snapshot(x, pg_current_snapshot())
                         order by x limit 1))
                    order by b.tx_id desc
                    limit 1)), -9223372036854775808)
            from (
                select q.relfilenode::bigint as sequence, coalesce(pg_sequence_last_value(q.oid), 0) as last_id
                from pg_class q
                where q.oid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            ) now
            cross join (select lo from {cursor} where shard = ? order by seq desc limit 1) c
            """;

    static final String MOVE_BEHIND = """
            with wanted as (
                select ?::integer as shard, ?::pg_snapshot as seen
            ), looked_at as materialized (
                select o.id, o.tx_id
                from {outbox} o
                where {shard} = ? and o.status = 'LOG' and o.id > ? and o.id <= ?
                order by o.id
                limit ?
            ), newest as materialized (
                select w.seen, c.lo, c.hi, c.last_id
                from wanted w cross join lateral (
                    select * from {cursor} n where n.shard = w.shard order by n.seq desc limit 1
                ) c
            ), moved as (
                update {outbox} o
                set tx_id = pg_current_xact_id()
                from looked_at l cross join newest c
                where o.id = l.id and o.status = 'LOG'
                  and pg_visible_in_snapshot(l.tx_id, c.seen)
                  and not pg_visible_in_snapshot(l.tx_id, c.lo)
                  and not (c.hi is not null and l.id <= c.last_id and pg_visible_in_snapshot(l.tx_id, c.hi))
                returning o.id
            )
            select (select count(*) from looked_at) as looked, (select max(id) from looked_at) as last_id,
                   (select count(*) from moved) as moved
            """;

    static final String TO_PENDING = """
            with looked_at as materialized (
                select o.id, o.tx_id
                from {outbox} o
                where {shard} = ? and o.status = 'LOG' and o.id > ? and o.id <= ?
                order by o.id
                limit ?
            ), newest as materialized (
                select lo, hi, last_id from {cursor} where shard = ? order by seq desc limit 1
            ), moved as (
                update {outbox} o
                set status = 'PENDING', version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
                from looked_at l cross join newest c
                where o.id = l.id and o.status = 'LOG'
                  and not pg_visible_in_snapshot(l.tx_id, c.lo)
                  and not (c.hi is not null and l.id <= c.last_id and pg_visible_in_snapshot(l.tx_id, c.hi))
                returning o.id
            )
            select (select count(*) from looked_at) as looked, (select max(id) from looked_at) as last_id,
                   (select count(*) from moved) as moved
            """;

    /**
     * What an operator wants to be discarded is deleted with its row. Of an event whose row is gone the envelope is here,
     * or in its dead letter: it gets its row back under its old id, so that its key stays in order. A request id that was
     * used again meanwhile stays with the later event.
     */
    static final String PARKED_TO_CLAIM = """
            with looked_at as materialized (
                select * from {parked} where outbox_id > ? and outbox_id <= ? order by outbox_id limit ?
            ), target as materialized (
                select l.outbox_id,
                       case l.state when 'FAILED' then 'FAILED' when 'QUEUED' then 'HELD'
                           when 'BLOCKED' then 'BLOCKED' when 'DEAD' then 'DEAD_LETTER'
                           else 'PENDING' end as status,
                       case when l.state = 'RETRY' then 0 else l.attempts end as attempts,
                       case when l.state in ('FAILED', 'SCHEDULED') then l.next_attempt_at end as next_attempt_at,
                       l.state in ('DEAD', 'BLOCKED') as holds_key, l.first_failed_at, l.last_error,
                       case when l.state = 'BLOCKED' then l.destination end as blocked_by
                from looked_at l
                where l.state <> 'DISCARD'
            ), back as (
                update {outbox} o
                set status = t.status, attempts = t.attempts, abandoned = 0, next_attempt_at = t.next_attempt_at,
                    holds_key = t.holds_key, first_failed_at = coalesce(t.first_failed_at, o.first_failed_at),
                    last_error = t.last_error, blocked_by = t.blocked_by, version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
                from target t
                where o.id = t.outbox_id and o.status = 'LOG'
                returning o.id
            ), again as (
                insert into {outbox} (id, event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload,
                    payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at, max_retries,
                    status, attempts, next_attempt_at, holds_key, first_failed_at, last_error, blocked_by)
                overriding system value
                select t.outbox_id, coalesce(l.event_id, d.event_id), coalesce(l.event_type, d.event_type),
                    coalesce(l.aggregate_type, d.aggregate_type), coalesce(l.aggregate_id, d.aggregate_id),
                    coalesce(l.event_key, d.event_key), coalesce(l.source, d.source), coalesce(l.payload, d.payload),
                    coalesce(l.payload_binary, d.payload_binary), coalesce(l.content_type, d.content_type),
                    coalesce(l.headers, d.headers),
                    case when not exists (
                            select 1 from {outbox} r where r.request_id = coalesce(l.request_id, d.request_id))
                        then coalesce(l.request_id, d.request_id) end,
                    coalesce(l.content_hash, d.content_hash), coalesce(l.occurred_at, d.occurred_at),
                    coalesce(l.created_at, d.created_at), coalesce(l.max_retries, d.max_retries),
                    t.status, t.attempts, t.next_attempt_at, t.holds_key, t.first_failed_at, t.last_error, t.blocked_by
                from target t
                join looked_at l using (outbox_id)
                left join {dead_letter} d using (outbox_id)
                where coalesce(l.event_id, d.event_id) is not null
                  and not exists (select 1 from {outbox} o where o.id = t.outbox_id)
                returning id
            ), discarded as (
                delete from {outbox} o
                using looked_at l
                where o.id = l.outbox_id and l.state = 'DISCARD' and o.status = 'LOG'
            ), forgotten as (
                delete from {parked} f using looked_at l where f.outbox_id = l.outbox_id
            )
            select (select count(*) from looked_at) as looked, (select max(outbox_id) from looked_at) as last_id,
                   (select count(*) from back) + (select count(*) from again) as moved
            """;

    static final String DEAD_TO_CLAIM = """
            with looked_at as materialized (
                select outbox_id, event_id, attempts, reason, first_failed_at
                from {dead_letter}
                where outbox_id > ? and outbox_id <= ?
                order by outbox_id
                limit ?
            ), moved as (
                update {outbox} o
                set status = 'DEAD_LETTER', attempts = l.attempts, last_error = l.reason, holds_key = false,
                    first_failed_at = l.first_failed_at, next_attempt_at = null, version = o.version % 2147483647 + 1,
                    updated_at = clock_timestamp()
                from looked_at l
                where o.id = l.outbox_id and o.event_id = l.event_id and o.status = 'LOG'
                returning o.id
            )
            select (select count(*) from looked_at) as looked, (select max(outbox_id) from looked_at) as last_id,
                   (select count(*) from moved) as moved
            """;

    /**
     * Walks the unfinished and the dead by key. What failed goes beside the log, as does, in front of it, what was still
     * to be sent before it; a dead letter that holds its key closes it there too; all else becomes an event of the log
     * that its cursor has not passed. Rows of events beside the log, and of dead letters, are passed: transaction 3 has
     * ended in every snapshot. A dead row without a letter gets one, since only the letter shows it from now on.
     */
    static final String TO_LOG = """
            with looked_at as materialized (
                select o.*, {shard} as shard
                from {outbox} o
                where o.status in ('PENDING', 'SENDING', 'FAILED', 'HELD', 'BLOCKED', 'DEAD_LETTER')
                  and (o.key_hash, o.id) > (?, ?)
                order by o.key_hash, o.id
                limit ?
            ), placed as materialized (
                select l.id,
                       case
                           when l.status in ('FAILED', 'BLOCKED') then l.status
                           when l.status = 'DEAD_LETTER' and l.holds_key then 'DEAD'
                           when l.status = 'DEAD_LETTER' then 'LETTER'
                           when l.status = 'PENDING' and l.next_attempt_at > statement_timestamp() then 'LOG'
                           when exists (
                               select 1 from {outbox} e
                               where e.key_hash = l.key_hash and e.id > l.id
                                 and e.status in ('FAILED', 'BLOCKED', 'DEAD_LETTER')
                                 and (e.status <> 'DEAD_LETTER' or e.holds_key))
                               then 'QUEUED'
                           else 'LOG'
                       end as becomes
                from looked_at l
            ), parked as (
                insert into {parked} (outbox_id, shard, key_hash, state, holds, event_id, event_type, aggregate_type,
                    aggregate_id, event_key, source, payload, payload_binary, content_type, headers, request_id,
                    content_hash, occurred_at, created_at, max_retries, attempts, next_attempt_at, first_failed_at,
                    last_error, destination)
                select l.id, l.shard, l.key_hash, p.becomes, true, l.event_id, l.event_type, l.aggregate_type,
                    l.aggregate_id, l.event_key, l.source, l.payload, l.payload_binary, l.content_type, l.headers,
                    l.request_id, l.content_hash, l.occurred_at, l.created_at, l.max_retries, l.attempts,
                    case when p.becomes = 'FAILED' then coalesce(l.next_attempt_at, clock_timestamp()) end,
                    l.first_failed_at, l.last_error, l.blocked_by
                from looked_at l join placed p using (id)
                where p.becomes in ('FAILED', 'BLOCKED', 'DEAD', 'QUEUED')
            ), letters as (
                insert into {dead_letter} (outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key,
                    source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,
                    created_at, attempts, max_retries, error_class, reason, first_failed_at, died_at)
                select l.id, l.event_id, l.event_type, l.aggregate_type, l.aggregate_id, l.event_key,
                    l.source, l.payload, l.payload_binary, l.content_type, l.headers, l.request_id, l.content_hash,
                    l.occurred_at, l.created_at, l.attempts, l.max_retries, 'no-letter', coalesce(l.last_error, ''),
                    coalesce(l.first_failed_at, l.updated_at), l.updated_at
                from looked_at l
                where l.status = 'DEAD_LETTER'
                on conflict (outbox_id) do nothing
            ), changed as (
                update {outbox} o
                set status = 'LOG', holds_key = false, blocked_by = null, locked_by = null, locked_at = null, version = o.version % 2147483647 + 1,
                    tx_id = case when p.becomes = 'LOG' then pg_current_xact_id() else '3'::xid8 end,
                    updated_at = clock_timestamp()
                from placed p
                where o.id = p.id
                returning o.id
            )
            select (select count(*) from looked_at) as looked, (select count(*) from changed) as moved,
                   last.key_hash, last.id
            from (select 1) one
            left join (select key_hash, id from looked_at order by key_hash desc, id desc limit 1) last on true
            """;

    // ---- cursors

    /**
     * The numbers go on. The floor is 0: events that were moved have old ids and new transactions, and a mark that says
     * otherwise would hide them; for the same reason no older row may stay.
     */
    static final String BEGIN_CURSORS = """
            with numbers as materialized (
                select shard, max(seq) as seq from {cursor} group by shard
            ), history as (
                delete from {cursor}
            ), leases as (
                delete from {lease} where name like 'shard/%'
            )
            insert into {cursor} (shard, seq, lo, owner, fence, system_id, timeline)
            select s.shard, coalesce(n.seq, -1) + 1, ?::pg_snapshot, 'alter', true,
                   (select system_identifier from pg_control_system()),
                   ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
            from (select shard from generate_series(0, ? - 1) as shard union select shard from numbers) s
            left join numbers n using (shard)
            """;

    /** Batches belong to the positions of before. */
    static final String SHARDS_OF_PARKED = """
            update {parked} o set shard = {shard}, batch = 0
            """;

    static final String SHARDS_OF_LETTERS = """
            update {dead_letter} d
            set shard = {shard}, batch = 0
            from (
                select outbox_id, hashtextextended(coalesce(event_key, aggregate_type || '/' || aggregate_id), 0) as key_hash
                from {dead_letter}
            ) o
            where d.outbox_id = o.outbox_id
            """;

    /**
     * Rows that claim mode has done with may come from another cluster, which it does not care about; a relay looks at the
     * newest one to find out where it is.
     */
    static final String NEWEST_IS_FROM_HERE = """
            update {outbox}
            set tx_id = '3'
            where id = (select id from {outbox} order by id desc limit 1)
              and status <> 'LOG' and tx_id >= pg_snapshot_xmax(pg_current_snapshot())
            """;

    // ---- another cluster

    /**
     * Rows of a log are never written again by relays, so that a row's own transaction is the one in {@code tx_id}, or one
     * of its subtransactions, whose number is higher. Only copying them makes it lower, or makes rows of several
     * transactions rows of one.
     */
    static final String EVIDENCE = """
            with here as (
                select (select system_identifier from pg_control_system()) as system_id,
                       pg_current_snapshot() as now, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax
            ), newest as (
                select distinct on (shard) shard, lo, tx_id, system_id from {cursor} order by shard, seq desc
            ), rows_of_log as materialized (
                select o.tx_id, o.xmin::text::bigint as xmin,
                       h.xmax - (((h.xmax & 4294967295) - o.xmin::text::bigint + 4294967296) & 4294967295) as written
                from {outbox} o cross join here h
                where o.status = 'LOG' and o.tx_id <> '3'
                order by o.id desc
                limit 10000
            )
            select (select bool_and(n.system_id = h.system_id) from newest n) as same_cluster,
                   coalesce((select bool_or(n.tx_id::text::bigint >= h.xmax
                                            or pg_snapshot_xmax(n.lo)::text::bigint > h.xmax) from newest n), false)
                       or coalesce((select bool_or(r.tx_id::text::bigint >= h.xmax) from rows_of_log r), false)
                       as foreign_tx,
                   coalesce((select bool_or(r.tx_id::text::bigint > r.written) from rows_of_log r), false)
                       or exists (select 1 from rows_of_log r group by r.xmin having min(r.tx_id::text::bigint)
                                  <> max(r.tx_id::text::bigint)) as copied
            from here h
            """;

    static final String CONTINUE_CURSORS = """
            insert into {cursor} (shard, seq, lo, hi, last_id, batch, owner, fence, system_id, timeline)
            select n.shard, n.seq + 1, n.lo, n.hi, n.last_id, n.batch, 'adopt', true,
                   (select system_identifier from pg_control_system()),
                   ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
            from generate_series(0, ? - 1) as s(shard)
            cross join lateral (
                select * from {cursor} c where c.shard = s.shard order by c.seq desc limit 1
            ) n
            """;

    /**
     * A row was surely written elsewhere if its {@code tx_id} is higher than the transaction that put it here; or lower
     * than the one that created the table, and rows of several transactions came here in one. (The system columns of a
     * table are described in the catalogue once and never again, so that they tell its age.) Rows that events beside the
     * log or dead letters refer to were passed by a cursor, and no cursor has moved here. Of the rest, what the old
     * cursors had passed is done; what is in doubt comes again.
     */
    static final String ADOPT = """
            with seen as (
                select pg_current_xact_id()::text::bigint as now
            ), born as (
                select s.now - (((s.now & 4294967295) - a.xmin::text::bigint + 4294967296) & 4294967295) as at
                from seen s cross join pg_attribute a
                where a.attrelid = '{outbox}'::regclass and a.attname = 'ctid'
            ), cursors as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select * from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            ), looked_at as materialized (
                select o.id, o.tx_id, o.event_id, o.status, {shard} as shard, o.xmin::text::bigint as xmin
                from {outbox} o
                where o.id > ? and o.id <= ?
                order by o.id
                limit ?
            ), judged as materialized (
                select l.id, l.tx_id,
                       l.status <> 'LOG'
                       or exists (select 1 from {parked} f where f.outbox_id = l.id)
                       or exists (select 1 from {dead_letter} d where d.outbox_id = l.id and d.event_id = l.event_id)
                       or l.xmin >= 3
                          and (l.tx_id::text::bigint
                                   > s.now - (((s.now & 4294967295) - l.xmin + 4294967296) & 4294967295)
                               or l.tx_id::text::bigint < b.at
                                  and min(l.tx_id::text::bigint) over (partition by l.xmin)
                                      <> max(l.tx_id::text::bigint) over (partition by l.xmin))
                          and (pg_visible_in_snapshot(l.tx_id, c.lo)
                               or c.hi is not null and l.id <= c.last_id and pg_visible_in_snapshot(l.tx_id, c.hi))
                       as done
                from looked_at l
                cross join seen s
                cross join born b
                join cursors c on c.shard = l.shard
            ), moved as (
                update {outbox} o
                set tx_id = case when j.done then '3'::xid8 else pg_current_xact_id() end
                from judged j
                where o.id = j.id and (not j.done or j.tx_id <> '3')
                returning j.done
            ), noted as (
                insert into {settings} (name, value)
                select 'changing_after', max(id)::text from looked_at having max(id) is not null
                on conflict (name) do update set value = excluded.value
            )
            select (select count(*) from looked_at) as looked, (select max(id) from looked_at) as last_id,
                   (select count(*) from moved where not done) as moved
            """;

    // ---- later

    static final String PUBLISH_DELIVERED = """
            with looked_at as materialized (
                select id, status from {outbox} where id > ? and id <= ? order by id limit ?
            ), moved as (
                update {outbox} o
                set status = 'PUBLISHED', published_at = o.created_at, next_attempt_at = null, version = o.version % 2147483647 + 1
                from looked_at l
                where o.id = l.id and l.status = 'LOG' and o.status = 'LOG'
                returning o.id
            ), noted as (
                update {settings} set value = (select max(id)::text from looked_at)
                where name = 'later_delivered_after' and exists (select 1 from looked_at)
            )
            select (select count(*) from looked_at) as looked, (select max(id) from looked_at) as last_id,
                   (select count(*) from moved) as moved
            """;
}
