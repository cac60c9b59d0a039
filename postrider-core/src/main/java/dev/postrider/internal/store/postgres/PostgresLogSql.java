package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import java.util.List;

/**
 * Every statement a relay sends to a log-mode outbox on PostgreSQL, for one table and one number of shards.
 * Nothing but the checked table names and that number is ever put into the text.
 */
final class PostgresLogSql {
    final String sequence;
    final String newestRow;
    final String foreignCursor;
    final String cursor;
    final String cursorOfBatch;
    final String fence;
    final String marks;
    final String renumberParked;
    final String renumberWithoutLetters;
    final String oneRenumbers;
    final String holds;
    final String head;
    final String read;
    final String readLarge;
    final String readFirst;
    final String due;
    final String queues;
    final String firstOfQueue;
    final String append;
    final String ownAppend;
    final String fail;
    final String failAsReference;
    final String park;
    final String block;
    final String release;
    final String blockedDestinations;
    final String blocked;
    final String blockedAt;
    final String promote;
    final String attempt;
    final String survive;
    final String bury;
    final List<Column> columns;
    final String buryReadable;
    final String holdDead;
    final String nameUnrecorded;
    final String deleteParked;
    final String forgetUncommitted;
    final String describe;
    final String purge;
    final String pass;
    final String findPassed;
    final String notePassed;
    final String thinCursors;
    final String renewShards;
    final String takeShard;
    final String releaseShard;
    final String lag;
    final String parkedCounts;

    PostgresLogSql(OutboxTable table, int shards) {
        this.sequence = sql(table, shards, SEQUENCE);
        this.newestRow = sql(table, shards, NEWEST_ROW);
        this.foreignCursor = sql(table, shards, FOREIGN_CURSOR);
        this.cursor = sql(table, shards, CURSOR);
        this.cursorOfBatch = sql(table, shards, CURSOR_OF_BATCH);
        this.fence = sql(table, shards, FENCE);
        this.marks = sql(table, shards, MARKS);
        this.renumberParked = sql(table, shards, RENUMBER_PARKED);
        this.renumberWithoutLetters = sql(table, shards, RENUMBER_WITHOUT_LETTERS);
        this.oneRenumbers = sql(table, shards, ONE_RENUMBERS);
        this.holds = sql(table, shards, HOLDS);
        this.head = sql(table, shards, HEAD);
        this.read = sql(table, shards, READ);
        this.readLarge = sql(table, shards, READ_LARGE);
        this.readFirst = sql(table, shards, READ_FIRST);
        this.due = sql(table, shards, DUE);
        this.queues = sql(table, shards, QUEUES);
        this.firstOfQueue = sql(table, shards, FIRST_OF_QUEUE);
        this.append = sql(table, shards, APPEND);
        this.ownAppend = sql(table, shards, OWN_APPEND);
        this.fail = sql(table, shards, FAIL);
        this.failAsReference = sql(table, shards, FAIL_AS_REFERENCE);
        this.park = sql(table, shards, PARK);
        this.block = sql(table, shards, BLOCK);
        this.release = sql(table, shards, RELEASE);
        this.blockedDestinations = sql(table, shards, BLOCKED_DESTINATIONS);
        this.blocked = sql(table, shards, BLOCKED);
        this.blockedAt = sql(table, shards, BLOCKED_AT);
        this.promote = sql(table, shards, PROMOTE);
        this.attempt = sql(table, shards, ATTEMPT);
        this.survive = sql(table, shards, SURVIVE);
        this.bury = sql(table, shards, BURY);
        this.columns = COLUMNS.stream()
                .map(column ->
                        new Column(column, sql(table, shards, READ_COLUMN).replace("{column}", column)))
                .toList();
        this.buryReadable = sql(table, shards, BURY_READABLE);
        this.holdDead = sql(table, shards, HOLD_DEAD);
        this.nameUnrecorded = sql(table, shards, NAME_UNRECORDED);
        this.deleteParked = sql(table, shards, DELETE_PARKED);
        this.forgetUncommitted = sql(table, shards, FORGET_UNCOMMITTED);
        this.describe = sql(table, shards, DESCRIBE);
        this.purge = sql(table, shards, PURGE.formatted(DELETE_OLD));
        this.pass = sql(table, shards, PURGE.formatted(DELETE_NOTHING));
        this.findPassed = sql(table, shards, FIND_PASSED);
        this.notePassed = sql(table, shards, NOTE_PASSED);
        this.thinCursors = sql(table, shards, THIN_CURSORS);
        this.renewShards = sql(table, shards, RENEW_SHARDS);
        this.takeShard = sql(table, shards, TAKE_SHARD);
        this.releaseShard = sql(table, shards, RELEASE_SHARD);
        this.lag = sql(table, shards, LAG);
        this.parkedCounts = sql(table, shards, PARKED_COUNTS);
    }

    /** A column of an event, and a statement that reads it. */
    record Column(String name, String read) {}

    private static String sql(OutboxTable table, int shards, String statement) {
        return PostgresSql.forTable(table, statement)
                .replace("{shard}", PostgresLayoutSql.shardOf("o.", shards))
                .replace("{shards}", Integer.toString(shards));
    }

    /** Readable by ordinary roles; an error on a standby, which no relay can use. */
    /**
     * Over the settings of {@link PostgresSql#PREPARE_SESSION}. A log is read several hundred times a second when events
     * come one by one, and planning took four times as long as reading. What claims need other plans for, the number of
     * rows that are due, decides nothing here.
     */
    static final String PREPARE_SESSION = "set plan_cache_mode = 'force_generic_plan'";

    static final String CLUSTER = """
            select (select system_identifier from pg_control_system()) as system_id,
                   ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer as timeline
            """;

    private static final String SEQUENCE = """
            select s.seqrelid::regclass::text as name, s.seqcache as cache, s.seqincrement as increment, s.seqcycle as cycle
            from pg_sequence s
            where s.seqrelid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            """;

    /** A row that can be seen has a number below the end of the snapshot; one from elsewhere may not. */
    private static final String NEWEST_ROW = """
            select tx_id::text as tx_id, tx_id >= pg_snapshot_xmax(pg_current_snapshot()) as foreign_tx
            from {outbox}
            order by id desc
            limit 1
            """;

    private static final String FOREIGN_CURSOR = """
            select c.shard, c.system_id, cluster.system_identifier as here
            from pg_control_system() cluster
            cross join generate_series(0, {shards} - 1) as s(shard)
            cross join lateral (
                select n.shard, n.system_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
            ) c
            where c.system_id <> cluster.system_identifier
            limit 1
            """;

    private static final String CURSOR = """
            select shard, seq, lo::text as lo, hi::text as hi, last_id, sequence, floor, batch, owner, system_id, timeline
            from {cursor}
            where shard = ?
            order by seq desc
            limit 1
            """;

    private static final String CURSOR_OF_BATCH = """
            select shard, seq, lo::text as lo, hi::text as hi, last_id, sequence, floor, batch, owner, system_id, timeline
            from {cursor}
            where shard = ? and batch <= ?
            order by seq desc
            limit 1
            """;

    /** A zombie's row under way makes this wait, and then fail: the next try comes after it. */
    private static final String FENCE = """
            insert into {cursor} (shard, seq, lo, hi, last_id, sequence, floor, batch, owner, fence, system_id, timeline)
            select shard, seq + 1, lo, hi, last_id, ?, ?, batch, ?, true, ?, ?
            from (select * from {cursor} where shard = ? order by seq desc limit 1) newest
            on conflict do nothing
            returning shard, seq, lo::text as lo, hi::text as hi, last_id, sequence, floor, batch, owner, system_id, timeline
            """;

    /**
     * Marks of another sequence say nothing about the ids of today. If the same one was set back, a later mark has a lower
     * floor, or its value is below all of them.
     */
    private static final String MARKS = """
            select m.tx_id::text as tx_id, m.floor
            from unnest(?::xid8[]) as below(tx_id)
            cross join (
                select s.oid, s.relfilenode::bigint as sequence, coalesce(pg_sequence_last_value(s.oid), 0) as last_id
                from pg_class s
                where s.oid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            ) now
            cross join lateral (
                select c.tx_id from {cursor} c
                where c.tx_id < below.tx_id and c.sequence = now.sequence
                order by c.tx_id desc
                limit 1
            ) newest
            cross join lateral (
                select newest.tx_id, min(c.floor) as floor from {cursor} c
                where c.tx_id >= newest.tx_id and c.sequence = now.sequence
            ) m
            where m.floor <= now.last_id
            """;

    /**
     * An id is given out again if the row that has it is another one, or if it is above the end of the ids. Whatever is
     * known of an event by more than its id is kept under one that no row will have, in the old order.
     */
    private static final String RENUMBER_PARKED = """
            with beside as materialized (
                select outbox_id from {parked} where shard = ?
                union
                select outbox_id from {dead_letter} where coalesce(shard, 0) = ?
            ), gone as materialized (
                select b.outbox_id, coalesce(f.event_id, d.event_id) is not null as whole
                from beside b
                left join {parked} f on f.outbox_id = b.outbox_id
                left join {dead_letter} d on d.outbox_id = b.outbox_id
                left join {outbox} o on o.id = b.outbox_id
                where case
                          when o.id is null then b.outbox_id > ?
                          when f.event_id is not null or d.event_id is not null
                              then o.event_id <> coalesce(f.event_id, d.event_id)
                          else o.key_hash <> f.key_hash
                      end
            ), base as (
                select least(0, (select min(outbox_id) from {parked}), (select min(outbox_id) from {dead_letter}))
                       - max(outbox_id) - 1 as id
                from gone
            ), lost as (
                delete from {parked} f using gone g
                where f.outbox_id = g.outbox_id and not g.whole
                returning f.outbox_id
            ), parked as (
                update {parked} f set outbox_id = b.id + f.outbox_id
                from gone g cross join base b
                where f.outbox_id = g.outbox_id and g.whole
            ), letters as (
                update {dead_letter} d set outbox_id = b.id + d.outbox_id
                from gone g cross join base b
                where d.outbox_id = g.outbox_id
            )
            select outbox_id from lost order by outbox_id
            """;

    /** Owners of different shards would choose the same ids: one at a time, each seeing what the one before has done. */
    private static final String ONE_RENUMBERS =
            "select pg_advisory_xact_lock(hashtextextended('postrider/renumber/{outbox}', 0))";

    /** The same where there is no dead letter table, or it is not for this role. */
    private static final String RENUMBER_WITHOUT_LETTERS = """
            with gone as materialized (
                select f.outbox_id, f.event_id is not null as whole
                from {parked} f
                left join {outbox} o on o.id = f.outbox_id
                where f.shard = ?
                  and case
                          when o.id is null then f.outbox_id > ?
                          when f.event_id is not null then o.event_id <> f.event_id
                          else o.key_hash <> f.key_hash
                      end
            ), base as (
                select least(0, (select min(outbox_id) from {parked})) - max(outbox_id) - 1 as id from gone
            ), lost as (
                delete from {parked} f using gone g
                where f.outbox_id = g.outbox_id and not g.whole
                returning f.outbox_id
            ), parked as (
                update {parked} f set outbox_id = b.id + f.outbox_id
                from gone g cross join base b
                where f.outbox_id = g.outbox_id and g.whole
            )
            select outbox_id from lost order by outbox_id
            """;

    static final String MARK = "select pg_current_xact_id()::text";

    private static final String HOLDS = """
            select key_hash, count(*) as events, bool_or(abandoned > 0) as abandoned,
                   coalesce(min(outbox_id) = min(outbox_id) filter (
                       where state = 'QUEUED' or state = 'FAILED' and next_attempt_at <= statement_timestamp()), false)
                       as sendable,
                   case when min(outbox_id) = min(outbox_id) filter (where state = 'BLOCKED') then min(outbox_id)
                        else 0 end as blocked_at
            from {parked}
            where shard = ? and holds
            group by key_hash
            """;

    /**
     * In one statement: whoever sees events that were written after a change of the sequence sees that change. Each change
     * gives the sequence a new file; {@code setval} does not, and shows in the value if at all.
     */
    private static final String HEAD = """
            select pg_current_snapshot()::text as snapshot, s.relfilenode::bigint as sequence,
                   coalesce(pg_sequence_last_value(s.oid), 0) as last_id,
                   pg_postmaster_start_time()::text as started_at,
                   ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer as timeline
            from pg_class s
            where s.oid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            """;

    /**
     * The page of each shard is one range of the index {@code _shard}, in its order. Most rows are decided by comparing
     * numbers: what began before any transaction of a snapshot was open is visible in it, what began after it is not. An
     * event of more bytes than are allowed stays where it is, and only its size is told.
     */
    private static final String READ = """
            select w.shard, 0 as found, o.size, o.size > w.max_size as large,
                   o.id, o.key_hash, 0 as version, 0 as attempts, 0 as abandoned, o.max_retries,
                   o.next_attempt_at > statement_timestamp() as scheduled,
                   case when isfinite(o.created_at) then extract(epoch from clock_timestamp() - o.created_at) end as age,
                   o.event_id, o.occurred_at,
                   case when o.size <= w.max_size then o.event_type end as event_type,
                   case when o.size <= w.max_size then o.aggregate_type end as aggregate_type,
                   case when o.size <= w.max_size then o.aggregate_id end as aggregate_id,
                   case when o.size <= w.max_size then o.event_key end as event_key,
                   case when o.size <= w.max_size then o.source end as source,
                   case when o.size <= w.max_size then o.payload end as payload,
                   case when o.size <= w.max_size then o.payload_binary end as payload_binary,
                   case when o.size <= w.max_size then o.content_type end as content_type,
                   case when o.size <= w.max_size then o.headers end as headers,
                   case when o.size <= w.max_size then o.request_id end as request_id,
                   case when o.size <= w.max_size then o.content_hash end as content_hash
            from (select *, ?::bigint as max_size
                  from unnest(?::bigint[], ?::bigint[], ?::pg_snapshot[], ?::xid8[], ?::pg_snapshot[], ?::xid8[])
                      as p(shard, after_id, lo, lo_end, hi, hi_begin)) w
            cross join lateral (
                select *, {stored} + case when {stored_json} > w.max_size then 0 else {hidden} end as size
                from {outbox} o
                where {shard} = w.shard and o.status = 'LOG' and o.id > w.after_id
                  and (o.tx_id < w.hi_begin or pg_visible_in_snapshot(o.tx_id, w.hi))
                  and (o.tx_id >= w.lo_end or not pg_visible_in_snapshot(o.tx_id, w.lo))
                order by o.id
                limit ?
            ) o
            """;

    /**
     * As {@link #READ}, for pages that begin with a large event: all of them together end after as many bytes as are
     * allowed, but not before the first event; every shard has its turn. What is too large for any page stays where it
     * is and counts nothing. First by what is stored, which costs nothing, and of those that are left by their size.
     */
    private static final String READ_LARGE = """
            with pages as (
                select w.shard, w.max_bytes, w.max_event, page.*,
                       sum(case when page.stored <= w.max_event then page.stored else 0 end)
                           over (order by page.place, w.shard rows unbounded preceding) as stored_bytes
                from (select *, ?::bigint as max_bytes, ?::bigint as max_event
                      from unnest(?::bigint[], ?::bigint[], ?::pg_snapshot[], ?::xid8[], ?::pg_snapshot[], ?::xid8[])
                          as p(shard, after_id, lo, lo_end, hi, hi_begin)) w
                cross join lateral (
                    select o.*, row_number() over (order by o.id) as place, count(*) over () as found
                    from (
                        select *, {stored} as stored
                        from {outbox} o
                        where {shard} = w.shard and o.status = 'LOG' and o.id > w.after_id
                          and (o.tx_id < w.hi_begin or pg_visible_in_snapshot(o.tx_id, w.hi))
                          and (o.tx_id >= w.lo_end or not pg_visible_in_snapshot(o.tx_id, w.lo))
                        order by o.id
                        limit ?
                    ) o
                ) page
            ), sized as (
                select o.*, o.stored + case when o.stored > o.max_event then 0 else {hidden} end as size
                from pages o
                where o.stored_bytes <= o.max_bytes or o.stored_bytes = o.stored
            ), summed as (
                select s.*, sum(s.fetched) over (order by s.place, s.shard rows unbounded preceding) as bytes
                from (select *, case when size <= max_event then size else 0 end as fetched from sized) s
            )
            select o.shard, o.found, o.size, false as large,
                   o.id, o.key_hash, 0 as version, 0 as attempts, 0 as abandoned, o.max_retries,
                   o.next_attempt_at > statement_timestamp() as scheduled,
                   case when isfinite(o.created_at) then extract(epoch from clock_timestamp() - o.created_at) end as age,
                   e.event_id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_key, e.source,
                   e.payload, e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash, e.occurred_at
            from summed o left join lateral (select o.* where o.size <= o.max_event) e on true
            where o.bytes <= o.max_bytes or o.bytes = o.fetched
            """;

    /** The numbers of the first row of a page that cannot be read. */
    private static final String READ_FIRST = """
            select w.shard, o.id, o.key_hash, 0 as attempts, 0 as abandoned
            from unnest(?::bigint[], ?::bigint[], ?::pg_snapshot[], ?::xid8[], ?::pg_snapshot[], ?::xid8[])
                as w(shard, after_id, lo, lo_end, hi, hi_begin)
            cross join lateral (
                select o.id, o.key_hash
                from {outbox} o
                where {shard} = w.shard and o.status = 'LOG' and o.id > w.after_id
                  and (o.tx_id < w.hi_begin or pg_visible_in_snapshot(o.tx_id, w.hi))
                  and (o.tx_id >= w.lo_end or not pg_visible_in_snapshot(o.tx_id, w.lo))
                order by o.id
                limit ?
            ) o
            """;

    /**
     * Shard by shard: only so does the index {@code _parked_due} have them in the order of their times. A few steps for each,
     * however many events wait, are due or are asked for. Whether an earlier event closes the key of one that has failed is one
     * more step, in {@code _parked_key}.
     *
     * <p>What reads {@code between}, here and in {@link #QUEUES}, is an equality. Said as such it would leave an order by id alone,
     * which the primary key has too: with statistics of an empty table the planner walked through all of that for every key.
     */
    private static final String DUE = """
            with shards as materialized (
                select * from unnest(?::integer[], ?::bigint[]) as s(shard, most)
            ), due as (
                select d.shard, d.outbox_id, d.key_hash, d.state, d.holds,
                       case when d.state = 'FAILED' then d.outbox_id > (
                           select e.outbox_id from {parked} e
                           where e.shard = d.shard and e.key_hash between d.key_hash and d.key_hash and e.holds
                           order by e.shard, e.key_hash, e.outbox_id
                           limit 1) end as follows
                from shards s cross join lateral (
                    select p.shard, p.outbox_id, p.key_hash, p.state, p.holds
                    from {parked} p
                    where p.shard = s.shard and p.state in ('FAILED', 'SCHEDULED')
                      and p.next_attempt_at <= statement_timestamp()
                    order by p.next_attempt_at
                    limit s.most
                ) d
                union all
                select r.shard, r.outbox_id, r.key_hash, r.state, r.holds, false
                from shards s cross join lateral (
                    select p.shard, p.outbox_id, p.key_hash, p.state, p.holds
                    from {parked} p
                    where p.shard between s.shard and s.shard and p.state in ('RETRY', 'DISCARD')
                    order by p.shard, p.outbox_id
                    limit s.most
                ) r
            )
            select extract(epoch from case when isfinite(next.at) then next.at - statement_timestamp() end) as next, due.*
            from (
                select min(n.next_attempt_at) as at
                from shards s cross join lateral (
                    select p.next_attempt_at
                    from {parked} p
                    where p.shard = s.shard and p.state in ('FAILED', 'SCHEDULED')
                      and p.next_attempt_at > statement_timestamp()
                    order by p.next_attempt_at
                    limit 1
                ) n
            ) next
            left join due on true
            """;

    /**
     * What an event is made of stands beside it if it has failed before, else in the outbox. Of each key the events
     * before the first that must wait; of all keys together as many bytes as are allowed, but not less than the first
     * event, in turn. A key of which nothing fits is told all the same.
     */
    private static final String QUEUES = """
            with queues as (
                select w.*, q.*,
                       sum(case when q.open and q.stored <= w.max_event then q.stored else 0 end)
                           over (order by q.place, w.turn rows unbounded preceding) as stored_bytes
                from (select *, ?::bigint as max_bytes, ?::bigint as max_event
                      from unnest(?::integer[], ?::bigint[]) with ordinality as k(shard, queue, turn)) w
                cross join lateral (
                    select o.*, {stored} as stored,
                           row_number() over (order by o.key_hash, o.id) as place,
                           bool_and(o.sendable) over (order by o.key_hash, o.id rows unbounded preceding) as open
                    from (
                        select f.outbox_id as id, f.key_hash, f.attempts, f.abandoned,
                               coalesce(f.state = 'QUEUED' or f.state = 'FAILED'
                                            and f.next_attempt_at <= statement_timestamp(), false) as sendable,
                               f.event_id is null and o.id is null as gone,
                               coalesce(f.max_retries, o.max_retries) as max_retries,
                               coalesce(f.created_at, o.created_at) as created_at,
                               coalesce(f.event_id, o.event_id) as event_id,
                               coalesce(f.event_type, o.event_type) as event_type,
                               coalesce(f.aggregate_type, o.aggregate_type) as aggregate_type,
                               coalesce(f.aggregate_id, o.aggregate_id) as aggregate_id,
                               coalesce(f.event_key, o.event_key) as event_key,
                               coalesce(f.source, o.source) as source,
                               coalesce(f.payload, o.payload) as payload,
                               coalesce(f.payload_binary, o.payload_binary) as payload_binary,
                               coalesce(f.content_type, o.content_type) as content_type,
                               coalesce(f.headers, o.headers) as headers,
                               coalesce(f.request_id, o.request_id) as request_id,
                               coalesce(f.content_hash, o.content_hash) as content_hash,
                               coalesce(f.occurred_at, o.occurred_at) as occurred_at
                        from (
                            select * from {parked}
                            where shard = w.shard and key_hash between w.queue and w.queue and holds
                            order by shard, key_hash, outbox_id
                            limit ?
                        ) f
                        left join {outbox} o on o.id = f.outbox_id and f.event_id is null
                    ) o
                ) q
            ), sized as (
                select o.*, o.stored + case when o.open and o.may_fit and o.stored <= o.max_event then {hidden} else 0 end
                           as size
                from (select *, stored_bytes <= max_bytes or stored_bytes = stored as may_fit from queues) o
                where o.place = 1 or o.open and o.may_fit
            ), summed as (
                select s.*, sum(s.fetched) over (order by s.place, s.turn rows unbounded preceding) as bytes
                from (select *, case when open and size <= max_event then size else 0 end as fetched from sized) s
            ), fitting as (
                select *, not open or may_fit and (bytes <= max_bytes or bytes = fetched) as fits from summed
            )
            select o.shard, o.queue, o.open, o.fits, o.gone, o.size,
                   o.id, o.key_hash, 0 as version, o.attempts, o.abandoned, o.max_retries,
                   case when isfinite(o.created_at) then extract(epoch from clock_timestamp() - o.created_at) end as age,
                   e.event_id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_key, e.source,
                   e.payload, e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash, e.occurred_at
            from fitting o
            left join lateral (select o.* where o.open and o.fits and o.size <= o.max_event) e on true
            where o.fits or o.place = 1
            order by o.turn, o.id
            """;

    private static final String FIRST_OF_QUEUE = """
            select f.outbox_id as id, f.key_hash, f.attempts, f.abandoned,
                   f.state = 'QUEUED' or f.state = 'FAILED' and f.next_attempt_at <= statement_timestamp() as sendable
            from (select ?::integer as shard, ?::bigint as queue) w
            cross join lateral (
                select * from {parked}
                where shard = w.shard and key_hash between w.queue and w.queue and holds
                order by shard, key_hash, outbox_id
                limit 1
            ) f
            """;

    /**
     * The key of the table refuses a number that is taken. Numbers so old that they were thinned out are refused by the
     * condition: newer rows have been there for long.
     */
    /** A position that may get lost in a crash is not waited for; this ends with the transaction. */
    private static final String APPEND = """
            insert into {cursor} (shard, seq, lo, hi, last_id, sequence, floor, batch, owner, system_id, timeline)
            select s.shard, s.seq, s.lo, s.hi, s.last_id, s.sequence, s.floor, s.batch, ?, ?, ?
            from unnest(?::integer[], ?::bigint[], ?::pg_snapshot[], ?::pg_snapshot[], ?::bigint[], ?::bigint[], ?::bigint[],
                    ?::bigint[])
                as s(shard, seq, lo, hi, last_id, sequence, floor, batch)
            where not exists (select 1 from {cursor} c where c.shard = s.shard and c.seq >= s.seq)
            returning tx_id::text as tx_id,
                      case when ? then null else set_config('synchronous_commit', 'off', true) end
            """;

    private static final String OWN_APPEND = """
            select exists (select 1 from {cursor} where shard = ? and seq = ? and owner = ? and not fence)
            """;

    /** What an operator requested while the event was in flight stays to be done. */
    private static final String FAIL = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds, batch,
                event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload, payload_binary,
                content_type, headers, request_id, content_hash, occurred_at, created_at, max_retries,
                attempts, next_attempt_at, first_failed_at, last_error)
            select s.id, ?, s.key_hash, 'FAILED', true, ?,
                o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source, o.payload,
                o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash, o.occurred_at, o.created_at,
                o.max_retries, s.counted, clock_timestamp() + s.delay_millis * interval '1 millisecond',
                clock_timestamp(), s.error
            from unnest(?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[])
                as s(id, key_hash, counted, delay_millis, error)
            left join {outbox} o on o.id = s.id
            on conflict (outbox_id) do update
            set state = case when f.state in ('RETRY', 'DISCARD') then f.state else 'FAILED' end,
                holds = true, abandoned = 0, attempts = least(f.attempts, 2147483646) + excluded.attempts,
                next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error,
                first_failed_at = coalesce(f.first_failed_at, excluded.first_failed_at),
                event_id = coalesce(f.event_id, excluded.event_id),
                event_type = coalesce(f.event_type, excluded.event_type),
                aggregate_type = coalesce(f.aggregate_type, excluded.aggregate_type),
                aggregate_id = coalesce(f.aggregate_id, excluded.aggregate_id),
                event_key = coalesce(f.event_key, excluded.event_key), source = coalesce(f.source, excluded.source),
                payload = coalesce(f.payload, excluded.payload),
                payload_binary = coalesce(f.payload_binary, excluded.payload_binary),
                content_type = coalesce(f.content_type, excluded.content_type),
                headers = coalesce(f.headers, excluded.headers), request_id = coalesce(f.request_id, excluded.request_id),
                content_hash = coalesce(f.content_hash, excluded.content_hash),
                occurred_at = coalesce(f.occurred_at, excluded.occurred_at),
                created_at = coalesce(f.created_at, excluded.created_at),
                max_retries = coalesce(f.max_retries, excluded.max_retries)
            """;

    /** As {@link #FAIL}, of rows that cannot be copied: what they are made of stays in the outbox. */
    private static final String FAIL_AS_REFERENCE = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds, batch,
                attempts, next_attempt_at, first_failed_at, last_error)
            select s.id, ?, s.key_hash, 'FAILED', true, ?,
                s.counted, clock_timestamp() + s.delay_millis * interval '1 millisecond', clock_timestamp(), s.error
            from unnest(?::bigint[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[])
                as s(id, key_hash, counted, delay_millis, error)
            on conflict (outbox_id) do update
            set state = case when f.state in ('RETRY', 'DISCARD') then f.state else 'FAILED' end,
                holds = true, abandoned = 0, attempts = least(f.attempts, 2147483646) + excluded.attempts,
                next_attempt_at = excluded.next_attempt_at, last_error = excluded.last_error,
                first_failed_at = coalesce(f.first_failed_at, excluded.first_failed_at)
            """;

    /** References: what they are made of stays in the outbox. */
    private static final String PARK = """
            insert into {parked} (outbox_id, shard, key_hash, state, holds, batch, next_attempt_at)
            select s.id, ?, s.key_hash, ?, ?, ?, case when ? then o.next_attempt_at end
            from unnest(?::bigint[], ?::bigint[]) as s(id, key_hash)
            left join {outbox} o on o.id = s.id
            on conflict do nothing
            """;

    /** References, or with what they are made of if they have failed before. As {@link #FAIL} for operators. */
    private static final String BLOCK = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds, batch, destination, last_error)
            select s.id, ?, s.key_hash, 'BLOCKED', true, ?, s.destination, s.error
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[]) as s(id, key_hash, destination, error)
            on conflict (outbox_id) do update
            set state = case when f.state in ('RETRY', 'DISCARD') then f.state else 'BLOCKED' end,
                holds = true, abandoned = 0, next_attempt_at = null, destination = excluded.destination,
                last_error = excluded.last_error
            """;

    /** As {@link #FAIL} for operators: what they have requested meanwhile stays to be done. */
    private static final String RELEASE = """
            update {parked}
            set state = 'QUEUED', destination = null, next_attempt_at = null
            where outbox_id = any (?) and state in ('BLOCKED', 'FAILED')
            """;

    /** Hops from one to the next, however many events wait for each. */
    private static final String BLOCKED_DESTINATIONS = """
            with recursive waited_for as (
                select s.shard, (select b.destination from {parked} b
                                 where b.shard = s.shard and b.state = 'BLOCKED' and b.destination > s.after
                                 order by b.destination limit 1) as destination
                from unnest(?::integer[], ?::text[]) as s(shard, after)
                union all
                select w.shard, (select b.destination from {parked} b
                                 where b.shard = w.shard and b.state = 'BLOCKED' and b.destination > w.destination
                                 order by b.destination limit 1)
                from waited_for w
                where w.destination is not null
            )
            select shard, destination from waited_for where destination is not null limit ?
            """;

    private static final String BLOCKED = """
            select destination, outbox_id, key_hash
            from {parked}
            where shard = ? and state = 'BLOCKED' and (destination, outbox_id) > (?, ?)
            order by shard, destination, outbox_id
            limit ?
            """;

    private static final String BLOCKED_AT = """
            select destination, outbox_id, key_hash
            from {parked}
            where shard = ? and state = 'BLOCKED' and destination = ? and outbox_id > ?
            order by shard, destination, outbox_id
            limit ?
            """;

    private static final String PROMOTE = """
            update {parked}
            set state = 'QUEUED', holds = true, next_attempt_at = null, attempts = 0, abandoned = 0
            where outbox_id = any (?)
            """;

    private static final String ATTEMPT = """
            update {parked} set abandoned = least(abandoned, 2147483646) + 1 where outbox_id = any (?)
            """;

    private static final String SURVIVE = """
            update {parked} set abandoned = 0 where outbox_id = any (?)
            """;

    /**
     * An event that stood beside the log before has been passed by a committed position.
     *
     * <p>Where another event has a letter under the same id, from before the ids began anew, the statement fails: that letter
     * stays as it is, and the net below takes this one.
     */
    private static final String BURY = """
            insert into {dead_letter} as l (outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at,
                created_at, attempts, max_retries, error_class, reason, first_failed_at, shard, batch)
            select s.id, coalesce(f.event_id, o.event_id), coalesce(f.event_type, o.event_type),
                coalesce(f.aggregate_type, o.aggregate_type), coalesce(f.aggregate_id, o.aggregate_id),
                coalesce(f.event_key, o.event_key), coalesce(f.source, o.source), coalesce(f.payload, o.payload),
                coalesce(f.payload_binary, o.payload_binary), coalesce(f.content_type, o.content_type),
                coalesce(f.headers, o.headers), coalesce(f.request_id, o.request_id),
                coalesce(f.content_hash, o.content_hash), coalesce(f.occurred_at, o.occurred_at),
                coalesce(f.created_at, o.created_at), least(coalesce(f.attempts, 0), 2147483646) + 1,
                coalesce(f.max_retries, o.max_retries), s.error_class, s.error,
                coalesce(f.first_failed_at, clock_timestamp()),
                ?, case when f.outbox_id is null then ? else 0 end
            from unnest(?::bigint[], ?::text[], ?::text[]) as s(id, error_class, error)
            left join {parked} f on f.outbox_id = s.id
            left join {outbox} o on o.id = s.id
            where coalesce(f.event_id, o.event_id) is not null
            on conflict (outbox_id) do update
                set event_id = case when l.event_id = excluded.event_id then l.event_id end,
                    attempts = excluded.attempts, error_class = excluded.error_class, reason = excluded.reason,
                    died_at = clock_timestamp()
            """;

    /** Those whose length is not fixed: the others cannot be damaged without the whole row. */
    private static final List<String> COLUMNS = List.of(
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "event_key",
            "source",
            "payload",
            "payload_binary",
            "content_type",
            "headers",
            "request_id",
            "content_hash");

    /** The whole value has to be read for it. */
    private static final String READ_COLUMN = """
            select md5(coalesce(f.{column}, o.{column})::text)
            from {outbox} o left join {parked} f on f.outbox_id = o.id
            where o.id = ?
            """;

    /** As {@link #BURY}, with those columns that can be read. */
    private static final String BURY_READABLE = """
            insert into {dead_letter} as l (error_class, reason, event_type, aggregate_type, aggregate_id, event_key,
                source, payload, payload_binary, content_type, headers, request_id, content_hash, shard, batch,
                outbox_id, event_id, occurred_at, created_at, attempts, max_retries, first_failed_at)
            select ?::text, ?::text,
                case when ? then coalesce(f.event_type, o.event_type) else 'unreadable' end,
                case when ? then coalesce(f.aggregate_type, o.aggregate_type) else 'unreadable' end,
                case when ? then coalesce(f.aggregate_id, o.aggregate_id) else 'unreadable' end,
                case when ? then coalesce(f.event_key, o.event_key) end,
                case when ? then coalesce(f.source, o.source) end,
                case when ? then coalesce(f.payload, o.payload) end,
                case when ? then coalesce(f.payload_binary, o.payload_binary) end,
                case when ? then coalesce(f.content_type, o.content_type) else 'unreadable' end,
                case when ? then coalesce(f.headers, o.headers) end,
                case when ? then coalesce(f.request_id, o.request_id) end,
                case when ? then coalesce(f.content_hash, o.content_hash) end,
                ?, case when f.outbox_id is null then ? else 0 end,
                o.id, o.event_id, o.occurred_at, o.created_at, least(coalesce(f.attempts, 0), 2147483646) + 1,
                o.max_retries, coalesce(f.first_failed_at, clock_timestamp())
            from {outbox} o left join {parked} f on f.outbox_id = o.id
            where o.id = ?
            on conflict (outbox_id) do update
                set event_id = case when l.event_id = excluded.event_id then l.event_id end,
                    attempts = excluded.attempts, error_class = excluded.error_class, reason = excluded.reason,
                    died_at = clock_timestamp()
            """;

    private static final String HOLD_DEAD = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds, batch, last_error)
            select s.id, ?, s.key_hash, 'DEAD', ?, ?, s.error
            from unnest(?::bigint[], ?::bigint[], ?::text[]) as s(id, key_hash, error)
            on conflict (outbox_id) do update
            set state = case when f.state in ('RETRY', 'DISCARD') then f.state else 'DEAD' end,
                holds = excluded.holds, next_attempt_at = null, last_error = excluded.last_error,
                parked_at = excluded.parked_at
            """;

    /**
     * The ids of dead events that stand nowhere: neither the dead letter table nor the one beside the log takes them. So many
     * that one sees it; the relay's log has them all.
     */
    private static final String NAME_UNRECORDED = """
            insert into {settings} as s (name, value) values ('unrecorded_dead_letters', array_to_string(?::bigint[], ','))
            on conflict (name) do update
            set value = case when length(s.value) < 10000 then s.value || ',' || excluded.value else s.value end
            """;

    private static final String DELETE_PARKED = """
            delete from {parked} where outbox_id = any (?)
            """;

    /** Those of batches are in partial indexes, of numbers above zero: batches are counted from one. */
    private static final String FORGET_UNCOMMITTED = """
            with letters as (
                delete from {dead_letter} where shard = ? and batch > 0 and batch > ?
            )
            delete from {parked}
            where shard = ?
              and outbox_id = any (array(
                  select outbox_id from {parked} where shard = ? and batch > 0 and batch > ?
                  union all
                  select unnest(?::bigint[])))
            """;

    /** As of claim mode: everything an event is made of, on one line; of a large one what its row can be found by. */
    private static final String DESCRIBE = """
            select r.id, translate(row_to_json(r)::text, E'\\n\\r', '  ')
            from (
                select o.id, o.event_id, left(o.aggregate_type, 1000) as aggregate_type,
                       left(o.aggregate_id, 1000) as aggregate_id, e.event_type, e.event_key, e.source,
                       e.id is null as payload_omitted, e.payload::text as payload_text, e.payload_binary, e.content_type, e.headers, e.request_id,
                       e.content_hash, o.occurred_at, o.created_at, o.attempts, o.max_retries, o.first_failed_at,
                       o.last_error
                from (
                  select o.*, sum(case when o.whole then {size} else 0 end) over (order by o.id) as bytes
                  from (
                    select s.id, s.whole, coalesce(f.event_id, o.event_id) as event_id,
                           coalesce(f.event_type, o.event_type) as event_type,
                           coalesce(f.aggregate_type, o.aggregate_type) as aggregate_type,
                           coalesce(f.aggregate_id, o.aggregate_id) as aggregate_id,
                           coalesce(f.event_key, o.event_key) as event_key, coalesce(f.source, o.source) as source,
                           coalesce(f.payload, o.payload) as payload,
                           coalesce(f.payload_binary, o.payload_binary) as payload_binary,
                           coalesce(f.content_type, o.content_type) as content_type,
                           coalesce(f.headers, o.headers) as headers,
                           coalesce(f.request_id, o.request_id) as request_id,
                           coalesce(f.content_hash, o.content_hash) as content_hash,
                           coalesce(f.occurred_at, o.occurred_at) as occurred_at,
                           coalesce(f.created_at, o.created_at) as created_at, coalesce(f.attempts, 0) as attempts,
                           coalesce(f.max_retries, o.max_retries) as max_retries, f.first_failed_at,
                           s.error as last_error
                    from unnest(?::bigint[], ?::text[], ?::boolean[]) as s(id, error, whole)
                    left join {parked} f on f.outbox_id = s.id
                    left join {outbox} o on o.id = s.id
                    where coalesce(f.event_id, o.event_id) is not null
                  ) o
                ) o
                left join lateral (select o.* where o.whole and o.bytes <= 16777216) e on true
            ) r
            order by r.id
            """;

    private static final String DELETE_OLD =
            "delete from {outbox} o where o.id = any (array(select id from deletable)) returning o.id";

    /** To pass a row that cannot be deleted. */
    private static final String DELETE_NOTHING = "select id from deletable limit 0";

    /**
     * Walks the primary key. What no window has met stays until an operator has seen to it; {@link #NOTE_PASSED} says what a
     * note looks like. The newest cursor row of exactly-once delivery may belong to a batch that is not committed yet, so the
     * one of the batch before counts.
     */
    private static final String PURGE = """
            with looked_at as materialized (
                select o.id, o.tx_id, o.status, {shard} as shard,
                       o.created_at < statement_timestamp() - ? * interval '1 millisecond' as old
                from {outbox} o
                where o.id > ?
                order by o.id
                limit ?
            ), cursors as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.batch from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) newest
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n
                    where n.shard = s.shard and (newest.batch = 0 or n.batch < newest.batch)
                    order by n.seq desc
                    limit 1
                ) c
            ), unsent as materialized (
                select unnest(?::text[]) as note
                union
                select unnest(string_to_array(s.value, ',')) as note from {settings} s where s.name = 'passed_rows'
            ), deletable as materialized (
                select l.id
                from looked_at l left join cursors c on c.shard = l.shard
                where l.old
                  and (l.status = 'PUBLISHED'
                       or l.status = 'LOG'
                          and (pg_visible_in_snapshot(l.tx_id, c.lo)
                               or c.hi is not null and l.id <= c.last_id and pg_visible_in_snapshot(l.tx_id, c.hi)))
                  and not exists (select 1 from {parked} f where f.outbox_id = l.id)
                  and not exists (select 1 from {dead_letter} d where d.outbox_id = l.id)
                  and l.id || ':' || l.tx_id::text not in (select note from unsent)
            ), deleted as (
                %s
            )
            select (select count(*) from looked_at) as looked,
                   (select count(*) from looked_at where old) as old,
                   (select max(id) from looked_at) as last_id,
                   (select count(*) from deleted) as deleted
            """;

    /**
     * A row is one of these if its id is not above the floor of the newest mark before its transaction: windows begin behind
     * that. Nothing is known of transactions before the first mark of the sequence's file, and marks that {@link #MARKS} does
     * not believe count for nothing. Ids that were drawn before the last mark without a floor have been read again since,
     * from the first id on.
     *
     * <p>For each row one step in the index of the marks; only if that finds something are the marks without a floor looked
     * for, once.
     */
    private static final String FIND_PASSED = """
            with looked_at as materialized (
                select o.id, o.tx_id, o.status from {outbox} o where o.id > ? order by o.id limit ?
            ), newest as materialized (
                select o.id, o.tx_id, o.status from {outbox} o order by o.id desc limit ?
            ), now as materialized (
                select s.relfilenode::bigint as sequence, coalesce(pg_sequence_last_value(s.oid), 0) as last_id
                from pg_class s
                where s.oid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            ), below as materialized (
                select o.id, o.tx_id, m.tx_id as mark
                from (select * from looked_at union select * from newest) o
                cross join now
                cross join lateral (
                    select c.tx_id, c.floor from {cursor} c
                    where c.sequence = now.sequence and c.tx_id < o.tx_id
                    order by c.tx_id desc
                    limit 1
                ) m
                where o.status = 'LOG' and o.id <= m.floor and m.floor <= now.last_id
            ), passed as materialized (
                select b.id, b.tx_id
                from below b
                where b.mark > coalesce((
                        select v.tx_id from {cursor} v
                        where v.sequence = (select sequence from now) and v.floor = -9223372036854775808
                        order by v.tx_id desc
                        limit 1), '0'::xid8)
                  and not exists (select 1 from {parked} f where f.outbox_id = b.id)
                order by b.id
                limit 1000
            )
            select l.looked, l.last_id, p.id, p.tx_id::text as tx_id
            from (select count(*) as looked, max(id) as last_id from looked_at) l left join passed p on true
            """;

    /** With their transactions: an id that is given out again is another row's. */
    private static final String NOTE_PASSED = """
            insert into {settings} as s (name, value)
            select 'passed_rows', coalesce(string_agg(known.note, ','), '')
            from (
                select distinct noted.note
                from (
                    select unnest(string_to_array(old.value, ',')) as note
                    from {settings} old
                    where old.name = 'passed_rows'
                    union all
                    select unnest(?::text[])
                ) noted
                join {outbox} o
                  on o.id = case when noted.note ~ '^-?[0-9]{1,18}:' then split_part(noted.note, ':', 1)::bigint end
                 and o.tx_id::text = split_part(noted.note, ':', 2)
                limit 1000
            ) known
            on conflict (name) do update set value = excluded.value
            where s.value <> excluded.value
            """;

    /** The newest rows of each shard stay for ever; of older ones all that are young, then one a minute. */
    private static final String THIN_CURSORS = """
            with old as (
                select shard, seq, fence, at,
                       row_number() over (partition by shard, fence, date_trunc('minute', at) order by seq desc) as place
                from {cursor} c
                where at < clock_timestamp() - ? * interval '1 millisecond'
                  and seq <= (select max(n.seq) - ? from {cursor} n where n.shard = c.shard)
            )
            delete from {cursor} c
            using old
            where c.shard = old.shard and c.seq = old.seq
              and (not old.fence and old.place > 1 or old.at < clock_timestamp() - ? * interval '1 millisecond')
            """;

    private static final String RENEW_SHARDS = """
            with renewed as (
                update {lease}
                set expires_at = clock_timestamp() + ? * interval '1 millisecond',
                    takeovers = case when name = any (?) then 0 else takeovers end
                where owner = ? and name = any (?)
                returning name
            )
            select l.name, l.owner, l.expires_at > clock_timestamp() as alive,
                   l.name in (select name from renewed) as mine, split_part(coalesce(l.state, 'closed'), ',', 1) as circuit,
                   coalesce(l.failing_since <= clock_timestamp() - ? * interval '1 millisecond', false) as failing
            from {lease} l
            where l.name like 'relay/%' or l.name like 'shard/%'
            order by l.acquired_at, l.name
            """;

    private static final String TAKE_SHARD = """
            insert into {lease} as l (name, owner, acquired_at, expires_at)
            values ('shard/' || ?, ?, clock_timestamp(), clock_timestamp() + ? * interval '1 millisecond')
            on conflict (name) do update
            set owner = excluded.owner, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at,
                takeovers = l.takeovers + 1
            where l.expires_at <= clock_timestamp()
            returning takeovers
            """;

    private static final String RELEASE_SHARD = """
            delete from {lease} where name = 'shard/' || ? and owner = ?
            """;

    /**
     * What lies ahead of each shard's cursor. The range begins where the oldest event can stand that has become visible
     * since: the floor of the newest mark below every transaction that has ended since.
     */
    private static final String LAG = """
            select c.shard, c.seq, l.owner, coalesce(l.expires_at > clock_timestamp(), false) as alive,
                   extract(epoch from clock_timestamp() - c.at) as age,
                   (select count(*) from {cursor} t where t.shard = c.shard and t.fence) as takeovers,
                   ahead.events, extract(epoch from clock_timestamp() - ahead.oldest) as oldest
            from generate_series(0, {shards} - 1) as s(shard)
            cross join (
                select q.relfilenode::bigint as sequence, coalesce(pg_sequence_last_value(q.oid), 0) as last_id
                from pg_class q
                where q.oid = pg_get_serial_sequence('{outbox}', 'id')::regclass
            ) now
            cross join lateral (
                select * from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
            ) c
            left join {lease} l on l.name = 'shard/' || s.shard
            cross join lateral (
                select case when min(m.floor) <= now.last_id then min(m.floor) else -9223372036854775808 end as after_id
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
                    limit 1)
            ) f
            cross join lateral (
                select count(*) as events, min(created_at) filter (where created_at > '-infinity' and created_at < 'infinity') as oldest
                from (
                    select o.created_at
                    from {outbox} o
                    where {shard} = s.shard and o.status = 'LOG' and o.id > f.after_id
                      and not pg_visible_in_snapshot(o.tx_id, c.lo)
                      and not (c.hi is not null and o.id <= c.last_id and pg_visible_in_snapshot(o.tx_id, c.hi))
                    order by o.id
                    limit ?
                ) capped
            ) ahead
            order by c.shard
            """;

    private static final String PARKED_COUNTS = """
            select count(*) filter (where state in ('FAILED', 'RETRY')) as failed,
                   count(*) filter (where state = 'QUEUED') as queued,
                   count(*) filter (where state = 'BLOCKED') as blocked,
                   count(*) filter (where state = 'SCHEDULED') as scheduled,
                   extract(epoch from clock_timestamp() - min(parked_at) filter (where state in ('FAILED', 'QUEUED', 'BLOCKED')))
                       as oldest
            from (select state, parked_at from {parked} limit ?) capped
            """;
}
