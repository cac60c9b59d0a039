package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.AdminSql;

/**
 * The operators' statements to a log-mode outbox on PostgreSQL, for one table and one number of shards. Nothing but
 * the checked table names and that number is ever put into the text; a condition that was not given is a null
 * parameter.
 *
 * <p>A dead letter is a row of the dead letter table, or an event beside the log in state DEAD without one: its letter
 * went into the file, or no further than an alert. What becomes of it is not done here: RETRY and DISCARD are requests,
 * and the owner of the shard, who alone knows which keys are closed, fulfils them.
 *
 * <p>After a fail-over that lost commits the database gives out ids a second time. So what stands under the id of a
 * letter, in the outbox or beside it, is the letter's only if its event id says so, or if it has none.
 */
final class PostgresLogAdminSql implements AdminSql, PostgresAdminDialect.ChangeSql {
    final String findEvent;
    final String hasLetter;
    final String requestFromLine;
    final String requestFromRow;

    private final OutboxTable table;
    private final int shards;

    PostgresLogAdminSql(OutboxTable table, int shards) {
        this.table = table;
        this.shards = shards;
        this.findEvent = sql(FIND_EVENT);
        this.hasLetter = sql(HAS_LETTER);
        this.requestFromLine = sql(REQUEST_FROM_LINE);
        this.requestFromRow = sql(REQUEST_FROM_ROW);
    }

    private String sql(String statement) {
        return PostgresSql.forTable(table, statement)
                .replace("{shard}", PostgresLayoutSql.shardOf("o.", shards))
                .replace("{shard_of_event}", PostgresLayoutSql.shardOf("e.", shards))
                .replace("{shards}", Integer.toString(shards));
    }

    @Override
    public String find() {
        return sql(FIND);
    }

    @Override
    public String count() {
        return sql(COUNT);
    }

    @Override
    public String closedKeys() {
        return sql(CLOSED_KEYS);
    }

    @Override
    public String read() {
        return sql(READ);
    }

    @Override
    public String choose() {
        return sql(CHOOSE);
    }

    @Override
    public String retry() {
        return sql(RETRY);
    }

    @Override
    public String discard() {
        return sql(DISCARD);
    }

    @Override
    public String extentOfAggregate() {
        return sql(EXTENT_OF_AGGREGATE);
    }

    @Override
    public String extentByTime() {
        return sql(EXTENT_BY_TIME);
    }

    @Override
    public String publishedOfAggregate() {
        return sql(PUBLISHED_OF_AGGREGATE);
    }

    @Override
    public String publishedByTime() {
        return sql(PUBLISHED_BY_TIME);
    }

    /** The attempt that killed an event is counted in its letter, and nowhere else. */
    private static final String FIND = """
            with wanted as (
                select ?::bigint[] as ids, ?::uuid[] as event_ids, ?::text as key,
                       ?::text as aggregate_type, ?::text as aggregate_id, ?::text as event_type,
                       ?::text as error_class, ?::timestamptz as since, ?::timestamptz as until
            ), dead as (
                select outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key, attempts,
                       error_class, reason, first_failed_at, died_at
                from {dead_letter}
                union all
                select f.outbox_id, f.event_id, f.event_type, f.aggregate_type, f.aggregate_id, f.event_key,
                       least(f.attempts, 2147483646) + 1, 'no-letter', coalesce(f.last_error, ''),
                       coalesce(f.first_failed_at, f.parked_at), f.parked_at
                from {parked} f
                where f.state = 'DEAD' and f.event_id is not null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                union all
                select f.outbox_id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key,
                       least(f.attempts, 2147483646) + 1, 'no-letter', coalesce(f.last_error, ''),
                       coalesce(f.first_failed_at, f.parked_at), f.parked_at
                from {parked} f join {outbox} o on o.id = f.outbox_id
                where f.state = 'DEAD' and f.event_id is null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
            ), page as materialized (
                select d.*
                from dead d cross join wanted w
                where (w.ids is null or d.outbox_id = any (w.ids))
                  and (w.event_ids is null or d.event_id = any (w.event_ids))
                  and (w.key is null or coalesce(d.event_key, d.aggregate_id) = w.key)
                  and (w.aggregate_type is null or d.aggregate_type = w.aggregate_type)
                  and (w.aggregate_id is null or d.aggregate_id = w.aggregate_id)
                  and (w.event_type is null or d.event_type = w.event_type)
                  and (w.error_class is null or d.error_class = w.error_class)
                  and (w.since is null or d.died_at >= w.since)
                  and (w.until is null or d.died_at < w.until)
                order by d.died_at desc, d.outbox_id desc
                limit ?
            )
            select p.outbox_id, p.event_id, left(p.event_type, 10000) as event_type,
                   left(p.aggregate_type, 10000) as aggregate_type, left(p.aggregate_id, 10000) as aggregate_id,
                   left(p.event_key, 10000) as event_key, p.attempts, p.error_class, p.reason, p.first_failed_at,
                   p.died_at,
                   case when f.state in ('RETRY', 'SCHEDULED') then 'PENDING'
                        when f.state = 'QUEUED' then 'HELD'
                        when f.state = 'BLOCKED' then 'BLOCKED'
                        when f.state = 'FAILED' then 'FAILED'
                        when f.state = 'DEAD' or f.state is null and o.event_id = p.event_id then 'DEAD_LETTER'
                   end as status
            from page p
            left join {outbox} o on o.id = p.outbox_id
            left join {parked} f
                on f.outbox_id = p.outbox_id and coalesce(f.event_id, o.event_id, p.event_id) = p.event_id
            order by p.died_at desc, p.outbox_id desc
            """;

    /** The same conditions. Counting stops at the limit. */
    private static final String COUNT = """
            with wanted as (
                select ?::bigint[] as ids, ?::uuid[] as event_ids, ?::text as key,
                       ?::text as aggregate_type, ?::text as aggregate_id, ?::text as event_type,
                       ?::text as error_class, ?::timestamptz as since, ?::timestamptz as until
            ), dead as (
                select outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key, error_class, died_at
                from {dead_letter}
                union all
                select f.outbox_id, f.event_id, f.event_type, f.aggregate_type, f.aggregate_id, f.event_key, 'no-letter',
                       f.parked_at
                from {parked} f
                where f.state = 'DEAD' and f.event_id is not null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                union all
                select f.outbox_id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, 'no-letter',
                       f.parked_at
                from {parked} f join {outbox} o on o.id = f.outbox_id
                where f.state = 'DEAD' and f.event_id is null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
            )
            select count(*) from (
                select 1
                from dead d cross join wanted w
                where (w.ids is null or d.outbox_id = any (w.ids))
                  and (w.event_ids is null or d.event_id = any (w.event_ids))
                  and (w.key is null or coalesce(d.event_key, d.aggregate_id) = w.key)
                  and (w.aggregate_type is null or d.aggregate_type = w.aggregate_type)
                  and (w.aggregate_id is null or d.aggregate_id = w.aggregate_id)
                  and (w.event_type is null or d.event_type = w.event_type)
                  and (w.error_class is null or d.error_class = w.error_class)
                  and (w.since is null or d.died_at >= w.since)
                  and (w.until is null or d.died_at < w.until)
                limit ?
            ) capped
            """;

    /** Of dead ones the latest only: some keep no key closed. */
    private static final String CLOSED_KEYS = """
            select p.outbox_id as id, p.state = 'DEAD' as dead, p.attempts, p.last_error,
                   coalesce(p.event_type, o.event_type) as event_type,
                   coalesce(p.aggregate_type, o.aggregate_type) as aggregate_type,
                   coalesce(p.aggregate_id, o.aggregate_id) as aggregate_id,
                   coalesce(p.event_key, o.event_key) as event_key
            from (
                (select * from {parked} where state = 'FAILED' limit ?)
                union all
                (select * from (select * from {parked} where state = 'DEAD' order by outbox_id desc limit 10000) latest
                 where holds
                 limit ?)
            ) p
            left join {outbox} o on o.id = p.outbox_id
            order by id
            limit ?
            """;

    /** Of one that is too large to be shown, everything but its payload and headers. */
    private static final String READ = """
            select o.outbox_id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.attempts,
                   o.error_class, o.reason, o.first_failed_at, o.died_at, o.status, o.source, o.content_type, o.request_id,
                   o.content_hash, o.occurred_at, o.created_at, o.max_retries, o.size,
                   case when o.size <= o.max_size then o.payload end as payload,
                   case when o.size <= o.max_size then o.payload_binary end as payload_binary,
                   case when o.size <= o.max_size then o.headers end as headers
            from (
                select w.max_size, o.*, {stored} + case when {stored_json} > w.max_size then 0 else {hidden} end as size
                from (select ?::bigint as max_size) w cross join (
                    select l.outbox_id, l.event_id, l.event_type, l.aggregate_type, l.aggregate_id, l.event_key, l.attempts,
                           l.error_class, l.reason, l.first_failed_at, l.died_at,
                           case when f.state in ('RETRY', 'SCHEDULED') then 'PENDING'
                                when f.state = 'QUEUED' then 'HELD'
                        when f.state = 'BLOCKED' then 'BLOCKED'
                                when f.state = 'FAILED' then 'FAILED'
                                when f.state = 'DEAD' or f.state is null and o.event_id = l.event_id then 'DEAD_LETTER'
                           end as status,
                           l.source, l.payload, l.payload_binary, l.content_type, l.headers, l.request_id, l.content_hash,
                           l.occurred_at, l.created_at, l.max_retries
                    from {dead_letter} l
                    left join {outbox} o on o.id = l.outbox_id
                    left join {parked} f
                        on f.outbox_id = l.outbox_id and coalesce(f.event_id, o.event_id, l.event_id) = l.event_id
                    where l.outbox_id = ?
                    union all
                    select f.outbox_id, e.event_id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_key, least(f.attempts, 2147483646) + 1,
                           'no-letter', coalesce(f.last_error, ''), coalesce(f.first_failed_at, f.parked_at), f.parked_at,
                           'DEAD_LETTER',
                           e.source, e.payload, e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash,
                           e.occurred_at, e.created_at, e.max_retries
                    from {parked} f cross join lateral (
                        select f.event_id, f.event_type, f.aggregate_type, f.aggregate_id, f.event_key, f.source, f.payload,
                               f.payload_binary, f.content_type, f.headers, f.request_id, f.content_hash, f.occurred_at,
                               f.created_at, f.max_retries
                        where f.event_id is not null
                        union all
                        select o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source, o.payload,
                               o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash, o.occurred_at,
                               o.created_at, o.max_retries
                        from {outbox} o
                        where o.id = f.outbox_id and f.event_id is null
                    ) e
                    where f.outbox_id = ? and f.state = 'DEAD'
                      and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                ) o
            ) o
            """;

    /**
     * Locks what is chosen, letters and what is dead beside the log, before anybody looks at how they stand. In the
     * order in which relays write them, so that a relay that is just burying such an event again comes before or after.
     */
    private static final String CHOOSE = """
            with wanted as (
                select ?::bigint[] as ids, ?::uuid[] as event_ids, ?::text as key,
                       ?::text as aggregate_type, ?::text as aggregate_id, ?::text as event_type,
                       ?::text as error_class, ?::timestamptz as since, ?::timestamptz as until
            ), dead as (
                select outbox_id, event_id, event_type, aggregate_type, aggregate_id, event_key, error_class, died_at
                from {dead_letter}
                union all
                select f.outbox_id, f.event_id, f.event_type, f.aggregate_type, f.aggregate_id, f.event_key,
                       'no-letter', f.parked_at
                from {parked} f
                where f.state = 'DEAD' and f.event_id is not null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
                union all
                select f.outbox_id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key,
                       'no-letter', f.parked_at
                from {parked} f join {outbox} o on o.id = f.outbox_id
                where f.state = 'DEAD' and f.event_id is null
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = f.outbox_id)
            ), chosen as materialized (
                select d.outbox_id
                from dead d cross join wanted w
                where (w.ids is null or d.outbox_id = any (w.ids))
                  and (w.event_ids is null or d.event_id = any (w.event_ids))
                  and (w.key is null or coalesce(d.event_key, d.aggregate_id) = w.key)
                  and (w.aggregate_type is null or d.aggregate_type = w.aggregate_type)
                  and (w.aggregate_id is null or d.aggregate_id = w.aggregate_id)
                  and (w.event_type is null or d.event_type = w.event_type)
                  and (w.error_class is null or d.error_class = w.error_class)
                  and (w.since is null or d.died_at >= w.since)
                  and (w.until is null or d.died_at < w.until)
            ), letters as materialized (
                select l.outbox_id from {dead_letter} l
                where l.outbox_id in (select outbox_id from chosen)
                for update of l
            ), dead_rows as materialized (
                select f.outbox_id from {parked} f
                where f.outbox_id in (select outbox_id from chosen) and f.state = 'DEAD'
                for update of f
            )
            select outbox_id from letters union select outbox_id from dead_rows
            """;

    /**
     * 1. How each of the chosen stands: whether its row is {@code there}, the state of what is {@code parked} beside the
     * log, or else whether it was written again under another id before ({@code elsewhere}), whether another event has
     * its request id ({@code replaced}), and whether its id is {@code taken}, or may be given out again: then nothing
     * may be parked under it. 2. What becomes of it, and where what it is made of comes from: the letter, because that is
     * what operators were shown; but the row if that was changed, because that is what they change or accept. 3. An
     * event that is dead beside the log keeps shard, key and hold, which its owner counts on. And with exactly-once
     * delivery the request belongs to the batch in which the event died: if that was never committed, the log brings it.
     */
    private static final String RETRY = """
            with found as materialized (
                select c.outbox_id, h.hash, l.outbox_id is not null as lettered, l.error_class,
                       o.id is not null and (l.event_id is null or o.event_id = l.event_id) as there,
                       f.event_id is not null as whole,
                       case when l.event_id is null or coalesce(f.event_id, o.event_id, l.event_id) = l.event_id
                           then f.state end as parked,
                       f.outbox_id is not null or coalesce(o.event_id <> l.event_id, false)
                           or c.outbox_id > coalesce((select max(id) from {outbox}), 0) as taken,
                       l.event_id, l.aggregate_type, l.aggregate_id, l.request_id
                from unnest(?::bigint[]) as c(outbox_id)
                left join {dead_letter} l using (outbox_id)
                left join {parked} f using (outbox_id)
                left join {outbox} o on o.id = c.outbox_id
                left join unnest(?::bigint[], ?::text[]) as h(outbox_id, hash) using (outbox_id)
            ), chosen as materialized (
                select c.outbox_id, c.hash, c.lettered, c.event_id,
                       case when c.parked = 'DEAD' then 'DEAD'
                            when c.parked is not null or not c.lettered then 'HANDLED'
                            when c.there then 'SENT'
                            when exists (select 1 from {outbox} o
                                         where o.aggregate_type = c.aggregate_type and o.aggregate_id = c.aggregate_id
                                           and o.status <> 'PENDING' and o.status <> 'SENDING'
                                           and o.event_id = c.event_id) then 'HANDLED'
                            when exists (select 1 from {outbox} o
                                         where o.request_id = c.request_id) then 'REPLACED'
                            when c.taken then 'GONE'
                            else 'SENT' end as fate,
                       case when c.there and c.error_class in ('integrity', 'unreadable', 'database-error') then 'row'
                            when c.lettered then 'letter'
                            when c.whole then 'parked'
                            else 'row' end as origin
                from found c
            ), event as (
                select c.outbox_id, c.fate, c.lettered, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id,
                       o.event_key, o.key_hash, o.source, o.payload, o.payload_binary, o.content_type, o.headers,
                       o.request_id, coalesce(c.hash, o.content_hash) as content_hash, o.occurred_at, o.created_at,
                       o.max_retries, l.first_failed_at, l.reason, l.batch
                from chosen c join {outbox} o on o.id = c.outbox_id left join {dead_letter} l using (outbox_id)
                where c.origin = 'row'
                union all
                select c.outbox_id, c.fate, c.lettered, l.event_id, l.event_type, l.aggregate_type, l.aggregate_id,
                       l.event_key,
                       hashtextextended(coalesce(l.event_key, l.aggregate_type || '/' || l.aggregate_id), 0),
                       l.source, l.payload, l.payload_binary, l.content_type, l.headers,
                       l.request_id, coalesce(c.hash, l.content_hash), l.occurred_at, l.created_at,
                       l.max_retries, l.first_failed_at, l.reason, l.batch
                from chosen c join {dead_letter} l using (outbox_id)
                where c.origin = 'letter'
                union all
                select c.outbox_id, c.fate, c.lettered, f.event_id, f.event_type, f.aggregate_type, f.aggregate_id,
                       f.event_key, f.key_hash, f.source, f.payload, f.payload_binary, f.content_type, f.headers,
                       f.request_id, f.content_hash, f.occurred_at, f.created_at,
                       f.max_retries, f.first_failed_at, f.last_error, f.batch
                from chosen c join {parked} f using (outbox_id)
                where c.origin = 'parked'
            ), back as (
                update {parked} f
                set state = 'RETRY', next_attempt_at = null,
                    event_id = e.event_id, event_type = e.event_type, aggregate_type = e.aggregate_type,
                    aggregate_id = e.aggregate_id, event_key = e.event_key, source = e.source, payload = e.payload,
                    payload_binary = e.payload_binary, content_type = e.content_type, headers = e.headers,
                    request_id = e.request_id, content_hash = e.content_hash, occurred_at = e.occurred_at,
                    created_at = e.created_at, max_retries = e.max_retries,
                    first_failed_at = coalesce(f.first_failed_at, e.first_failed_at)
                from event e
                where f.outbox_id = e.outbox_id and e.fate = 'DEAD' and f.state = 'DEAD'
                returning f.outbox_id, f.event_id, e.lettered
            ), sent as (
                insert into {parked} (outbox_id, shard, key_hash, state, holds, batch,
                    event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload, payload_binary,
                    content_type, headers, request_id, content_hash, occurred_at, created_at, max_retries,
                    first_failed_at, last_error)
                select e.outbox_id, {shard_of_event}, e.key_hash, 'RETRY', false, e.batch,
                    e.event_id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_key, e.source, e.payload,
                    e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash, e.occurred_at,
                    e.created_at, e.max_retries, e.first_failed_at, e.reason
                from event e
                where e.fate = 'SENT'
                on conflict do nothing
                returning outbox_id
            ), again as (
                insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                    payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at,
                    max_retries)
                select g.event_id, g.event_type, g.aggregate_type, g.aggregate_id, g.event_key, g.source,
                    g.payload, g.payload_binary, g.content_type, g.headers, g.request_id, g.content_hash,
                    g.occurred_at, g.created_at, g.max_retries
                from (
                    select distinct on (e.event_id) e.*
                    from event e
                    where e.fate = 'GONE'
                    order by e.event_id, e.outbox_id
                ) g
                order by g.outbox_id
                on conflict do nothing
                returning event_id
            ), forgotten as (
                delete from {dead_letter} l
                using chosen c
                where l.outbox_id = c.outbox_id
                  and (c.fate in ('DEAD', 'HANDLED')
                       or c.fate = 'SENT' and c.outbox_id in (select outbox_id from sent)
                       or c.fate = 'GONE' and c.event_id in (select event_id from again))
            ), noted as (
                insert into {audit} (actor, action, selector, affected)
                select ?, 'handled', b.event_id::text, 1 from back b where not b.lettered
            ), counted as (
                select (select count(*) from back) + (select count(*) from sent) as back,
                       (select count(*) from again) as inserted,
                       (select count(*) from chosen where fate in ('DEAD', 'HANDLED'))
                           - (select count(*) from back) as handled
            )
            select back, inserted, handled,
                   (select count(*) from chosen c
                    where c.fate = 'REPLACED'
                       or c.fate = 'SENT' and c.outbox_id not in (select outbox_id from sent)
                       or c.fate = 'GONE' and c.event_id not in (select event_id from again)) as kept
            from counted
            """;

    /**
     * The row goes too, or a replay would send it. What is beside the log stays until its owner has opened the key, and
     * until then needs to be whole.
     */
    private static final String DISCARD = """
            with chosen as materialized (
                select c.outbox_id, l.outbox_id is not null as lettered, l.event_id,
                       o.id is not null and (l.event_id is null or o.event_id = l.event_id) as there,
                       case when l.event_id is null or coalesce(f.event_id, o.event_id, l.event_id) = l.event_id
                           then f.state end as parked,
                       case when o.event_id = l.event_id then false else exists (
                           select 1 from {outbox} a
                           where a.aggregate_type = l.aggregate_type and a.aggregate_id = l.aggregate_id
                             and a.status <> 'PENDING' and a.status <> 'SENDING'
                             and a.event_id = l.event_id) end as elsewhere
                from unnest(?::bigint[]) as c(outbox_id)
                left join {dead_letter} l using (outbox_id)
                left join {parked} f using (outbox_id)
                left join {outbox} o on o.id = c.outbox_id
            ), requested as (
                update {parked} f
                set state = 'DISCARD', next_attempt_at = null,
                    event_id = coalesce(f.event_id, l.event_id, o.event_id),
                    event_type = coalesce(f.event_type, l.event_type, o.event_type),
                    aggregate_type = coalesce(f.aggregate_type, l.aggregate_type, o.aggregate_type),
                    aggregate_id = coalesce(f.aggregate_id, l.aggregate_id, o.aggregate_id),
                    event_key = coalesce(f.event_key, l.event_key, o.event_key),
                    source = coalesce(f.source, l.source, o.source),
                    payload = coalesce(f.payload, l.payload, o.payload),
                    payload_binary = coalesce(f.payload_binary, l.payload_binary, o.payload_binary),
                    content_type = coalesce(f.content_type, l.content_type, o.content_type),
                    headers = coalesce(f.headers, l.headers, o.headers),
                    request_id = coalesce(f.request_id, l.request_id, o.request_id),
                    content_hash = coalesce(f.content_hash, l.content_hash, o.content_hash),
                    occurred_at = coalesce(f.occurred_at, l.occurred_at, o.occurred_at),
                    created_at = coalesce(f.created_at, l.created_at, o.created_at)
                from chosen c
                left join {dead_letter} l using (outbox_id)
                left join {outbox} o on o.id = c.outbox_id and c.there
                where f.outbox_id = c.outbox_id and c.parked = 'DEAD' and f.state = 'DEAD'
                returning f.outbox_id, f.event_id, c.lettered
            ), discarded as (
                select outbox_id from requested
                union all
                select outbox_id from chosen where parked is null and not elsewhere
            ), dead_rows as (
                delete from {outbox} o
                using chosen c
                where o.id = c.outbox_id and c.there and c.outbox_id in (select outbox_id from discarded)
            ), letters as (
                delete from {dead_letter} l
                using chosen c
                where l.outbox_id = c.outbox_id
            ), noted as (
                insert into {audit} (actor, action, selector, affected)
                select ?, 'handled', w.event_id::text, 1 from requested w where not w.lettered
            )
            select (select count(*) from discarded) as discarded,
                   (select count(*) from chosen) - (select count(*) from discarded) as handled
            """;

    // ---- from the file

    /**
     * How the event of a line stands, as for a retry; and whether it is {@code ahead} of the cursor, because its relay
     * died before it could record that the event had: then it comes anyway.
     */
    private static final String FIND_EVENT = """
            with line as (
                select ?::bigint as id, ?::uuid as event_id, ?::text as aggregate_type, ?::text as aggregate_id,
                       ?::jsonb ->> 'request_id' as request_id
            ), parked as materialized (
                select f.* from {parked} f where f.outbox_id = (select id from line) for update of f
            ), position as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            )
            select case when coalesce(f.event_id, o.event_id, e.event_id) = e.event_id then f.state end as parked,
                   coalesce(o.event_id = e.event_id and o.status = 'LOG' and not exists (
                       select 1 from position p
                       where p.shard = {shard}
                         and (pg_visible_in_snapshot(o.tx_id, p.lo)
                              or o.id <= p.last_id and pg_visible_in_snapshot(o.tx_id, p.hi))), false) as ahead,
                   case when o.event_id = e.event_id then false else exists (
                       select 1 from {outbox} a
                       where a.aggregate_type = e.aggregate_type and a.aggregate_id = e.aggregate_id
                         and a.status <> 'PENDING' and a.status <> 'SENDING'
                         and a.event_id = e.event_id) end as elsewhere,
                   case when o.event_id = e.event_id then false else exists (
                       select 1 from {outbox} a
                       where a.request_id = e.request_id and a.event_id <> e.event_id) end as replaced,
                   f.outbox_id is not null or coalesce(o.event_id <> e.event_id, false)
                       or e.id > coalesce((select max(id) from {outbox}), 0) as taken
            from line e
            left join {outbox} o on o.id = e.id
            left join parked f on true
            """;

    private static final String HAS_LETTER = """
            select exists (select 1 from {dead_letter} where outbox_id = ? and event_id = ?)
            """;

    /**
     * An event that is dead beside the log keeps what it has there. A line without all that an event needs gives nothing:
     * this table would take it. The payload comes from its text, so that not even its white space changes.
     */
    private static final String REQUEST_FROM_LINE = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds,
                event_id, event_type, aggregate_type, aggregate_id, event_key, source, payload, payload_binary,
                content_type, headers, request_id, content_hash, occurred_at, created_at, max_retries,
                first_failed_at, last_error)
            select e.id, {shard_of_event}, e.key_hash, 'RETRY', false,
                e.event_id, e.event_type, e.aggregate_type, e.aggregate_id, e.event_key, e.source, e.payload_json,
                e.payload_binary, e.content_type, e.headers, e.request_id, e.content_hash, e.occurred_at,
                e.created_at, e.max_retries, e.first_failed_at, e.last_error
            from (
                select (saved.line ->> 'id')::bigint as id, (saved.line ->> 'payload_text')::json as payload_json,
                       hashtextextended(coalesce(r.event_key, r.aggregate_type || '/' || r.aggregate_id), 0)
                           as key_hash,
                       r.event_id, r.event_type, r.aggregate_type, r.aggregate_id, r.event_key, r.source,
                       r.payload_binary, r.content_type, r.headers, r.request_id, r.content_hash, r.occurred_at,
                       r.created_at, r.max_retries, r.first_failed_at, r.last_error
                from (select ?::jsonb as line) saved
                cross join lateral jsonb_populate_record(null::{parked}, saved.line) r
            ) e
            where num_nulls(e.event_type, e.content_type, e.occurred_at, e.created_at) = 0
              and num_nonnulls(e.payload_json, e.payload_binary) = 1
              and (e.headers is null or json_typeof(e.headers) = 'object')
            on conflict (outbox_id) do update
            set state = 'RETRY', next_attempt_at = null,
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
                max_retries = coalesce(f.max_retries, excluded.max_retries),
                first_failed_at = coalesce(f.first_failed_at, excluded.first_failed_at)
            where f.state = 'DEAD'
            """;

    /** For a line without the payload: it is in the row, or beside the log if the event had failed before. */
    private static final String REQUEST_FROM_ROW = """
            insert into {parked} as f (outbox_id, shard, key_hash, state, holds)
            select e.id, {shard_of_event}, e.key_hash, 'RETRY', false
            from (
                select ?::bigint as wanted, ?::uuid as event_id
            ) w
            cross join lateral (
                select o.id, o.key_hash from {outbox} o where o.id = w.wanted and o.event_id = w.event_id
                union
                select p.outbox_id, p.key_hash from {parked} p where p.outbox_id = w.wanted and p.event_id = w.event_id
            ) e
            on conflict (outbox_id) do update
            set state = 'RETRY', next_attempt_at = null
            where f.state = 'DEAD'
            """;

    // ---- published events

    /**
     * Was sent: what is behind the cursor of its shard and neither beside the log nor a dead letter; and what had been
     * sent before the outbox became a log.
     */
    private static final String EXTENT_OF_AGGREGATE = """
            with position as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            )
            select count(*) as events, coalesce(min(o.id), 0) as first_id, coalesce(max(o.id), 0) as last_id,
                   clock_timestamp() as at
            from {outbox} o
            where o.aggregate_type = ? and o.aggregate_id = ? and o.id > ?
              and (o.status = 'PUBLISHED' or o.status = 'LOG' and exists (
                  select 1 from position p
                  where p.shard = {shard}
                    and (pg_visible_in_snapshot(o.tx_id, p.lo)
                         or o.id <= p.last_id and pg_visible_in_snapshot(o.tx_id, p.hi))))
              and not exists (select 1 from {parked} f where f.outbox_id = o.id)
              and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id and l.event_id = o.event_id)
            """;

    private static final String EXTENT_BY_TIME = """
            with position as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            )
            select count(*) as events, coalesce(min(o.id), 0) as first_id, coalesce(max(o.id), 0) as last_id,
                   clock_timestamp() as at
            from {outbox} o
            where o.created_at >= ? and o.created_at < ? and o.id > ?
              and (o.status = 'PUBLISHED' or o.status = 'LOG' and exists (
                  select 1 from position p
                  where p.shard = {shard}
                    and (pg_visible_in_snapshot(o.tx_id, p.lo)
                         or o.id <= p.last_id and pg_visible_in_snapshot(o.tx_id, p.hi))))
              and not exists (select 1 from {parked} f where f.outbox_id = o.id)
              and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id and l.event_id = o.event_id)
            """;

    private static final String PUBLISHED_OF_AGGREGATE = """
            with position as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            )
            select o.id
            from {outbox} o
            where o.aggregate_type = ? and o.aggregate_id = ? and o.id > ? and o.id <= ?
              and (o.status = 'PUBLISHED' or o.status = 'LOG' and exists (
                  select 1 from position p
                  where p.shard = {shard}
                    and (pg_visible_in_snapshot(o.tx_id, p.lo)
                         or o.id <= p.last_id and pg_visible_in_snapshot(o.tx_id, p.hi))))
              and not exists (select 1 from {parked} f where f.outbox_id = o.id)
              and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id and l.event_id = o.event_id)
            order by o.id
            limit ?
            """;

    /** Along the primary key: a log has no index by time. */
    private static final String PUBLISHED_BY_TIME = """
            with position as materialized (
                select s.shard, c.lo, c.hi, c.last_id
                from generate_series(0, {shards} - 1) as s(shard)
                cross join lateral (
                    select n.lo, n.hi, n.last_id from {cursor} n where n.shard = s.shard order by n.seq desc limit 1
                ) c
            )
            select o.id
            from {outbox} o
            where o.created_at >= ? and o.created_at < ? and o.id > ? and o.id <= ?
              and (o.status = 'PUBLISHED' or o.status = 'LOG' and exists (
                  select 1 from position p
                  where p.shard = {shard}
                    and (pg_visible_in_snapshot(o.tx_id, p.lo)
                         or o.id <= p.last_id and pg_visible_in_snapshot(o.tx_id, p.hi))))
              and not exists (select 1 from {parked} f where f.outbox_id = o.id)
              and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id and l.event_id = o.event_id)
            order by o.id
            limit ?
            """;
}
