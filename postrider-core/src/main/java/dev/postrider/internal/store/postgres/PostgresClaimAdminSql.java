package dev.postrider.internal.store.postgres;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.AdminSql;

/**
 * The operators' statements to a claim-mode outbox on PostgreSQL, for one table. Nothing but the
 * checked table names is ever put into the text; a condition that was not given is a null parameter.
 *
 * <p>A dead letter is a row of the dead letter table, or a dead row of the outbox without one: its letter
 * went into the file, or no further than an alert. Both are found by the same conditions.
 */
final class PostgresClaimAdminSql implements AdminSql, PostgresAdminDialect.ChangeSql {
    private final OutboxTable table;
    final String findEvent;
    final String bringBack;

    PostgresClaimAdminSql(OutboxTable table) {
        this.table = table;
        this.findEvent = PostgresSql.forTable(table, FIND_EVENT);
        this.bringBack = PostgresSql.forTable(table, BRING_BACK);
    }

    @Override
    public String find() {
        return PostgresSql.forTable(table, FIND);
    }

    @Override
    public String count() {
        return PostgresSql.forTable(table, COUNT);
    }

    @Override
    public String closedKeys() {
        return PostgresSql.forTable(table, CLOSED_KEYS);
    }

    @Override
    public String read() {
        return PostgresSql.forTable(table, READ);
    }

    @Override
    public String choose() {
        return PostgresSql.forTable(table, CHOOSE);
    }

    @Override
    public String retry() {
        return PostgresSql.forTable(table, RETRY);
    }

    @Override
    public String discard() {
        return PostgresSql.forTable(table, DISCARD);
    }

    @Override
    public String extentOfAggregate() {
        return PostgresSql.forTable(table, EXTENT_OF_AGGREGATE);
    }

    @Override
    public String extentByTime() {
        return PostgresSql.forTable(table, EXTENT_BY_TIME);
    }

    @Override
    public String publishedOfAggregate() {
        return PostgresSql.forTable(table, PUBLISHED_OF_AGGREGATE);
    }

    @Override
    public String publishedByTime() {
        return PostgresSql.forTable(table, PUBLISHED_BY_TIME);
    }

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
                select o.id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.attempts,
                       'no-letter', coalesce(o.last_error, ''), coalesce(o.first_failed_at, o.updated_at), o.updated_at
                from {outbox} o
                where o.status = 'DEAD_LETTER'
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id)
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
                   p.died_at, o.status
            from page p left join {outbox} o on o.id = p.outbox_id and o.event_id = p.event_id
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
                select o.id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, 'no-letter', o.updated_at
                from {outbox} o
                where o.status = 'DEAD_LETTER'
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id)
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

    /** Of dead rows the latest only: most of them keep no key closed, and no index tells which do. */
    private static final String CLOSED_KEYS = """
            select id, status = 'DEAD_LETTER' as dead, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key
            from (
                (select * from {outbox} where status = 'FAILED' order by created_at limit ?)
                union all
                (select * from (
                    select * from {outbox} where status = 'DEAD_LETTER' order by created_at desc, id desc limit 10000) latest
                 where holds_key
                 limit ?)
            ) p
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
                           l.error_class, l.reason, l.first_failed_at, l.died_at, o.status,
                           l.source, l.payload, l.payload_binary, l.content_type, l.headers, l.request_id, l.content_hash,
                           l.occurred_at, l.created_at, l.max_retries
                    from {dead_letter} l left join {outbox} o on o.id = l.outbox_id and o.event_id = l.event_id
                    where l.outbox_id = ?
                    union all
                    select o.id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.attempts,
                           'no-letter', coalesce(o.last_error, ''), coalesce(o.first_failed_at, o.updated_at), o.updated_at,
                           o.status,
                           o.source, o.payload, o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash,
                           o.occurred_at, o.created_at, o.max_retries
                    from {outbox} o
                    where o.id = ? and o.status = 'DEAD_LETTER'
                      and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id)
                ) o
            ) o
            """;

    /**
     * Locks what is chosen, letters and dead rows, before anybody looks at how they stand: a relay that is
     * just burying such an event again comes before or after, never in between.
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
                select o.id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key,
                       'no-letter', o.updated_at
                from {outbox} o
                where o.status = 'DEAD_LETTER'
                  and not exists (select 1 from {dead_letter} l where l.outbox_id = o.id)
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
                select o.id from {outbox} o
                where o.id in (select outbox_id from chosen) and o.status = 'DEAD_LETTER'
                for update of o
            )
            select outbox_id from letters union select id from dead_rows
            """;

    /**
     * A row is looked for under its old id, then among the events of its aggregate and those of its key that
     * wait: it may have been written again before. Events whose rows are gone draw new ids, in the order of the old ones.
     *
     * <p>Those that are there have a time, now, as retries have: by their ids alone, which are old, they would come before all
     * new events, however many they are.
     */
    private static final String RETRY = """
            with chosen as materialized (
                select c.outbox_id, l.event_id, l.outbox_id is not null as lettered, h.hash,
                       coalesce(
                           (select o.id from {outbox} o
                            where o.id = c.outbox_id and (l.event_id is null or o.event_id = l.event_id)),
                           least(
                               (select min(o.id) from {outbox} o
                                where o.aggregate_type = l.aggregate_type and o.aggregate_id = l.aggregate_id
                                  and o.event_id = l.event_id and o.status <> 'PENDING' and o.status <> 'SENDING'),
                               (select min(o.id) from {outbox} o
                                where o.key_hash = hashtextextended(
                                          coalesce(l.event_key, l.aggregate_type || '/' || l.aggregate_id), 0)
                                  and o.event_id = l.event_id and o.status in ('PENDING', 'SENDING')))) as row_id
                from unnest(?::bigint[]) as c(outbox_id)
                left join {dead_letter} l using (outbox_id)
                left join unnest(?::bigint[], ?::text[]) as h(outbox_id, hash) using (outbox_id)
            ), back as (
                update {outbox} o
                set status = 'PENDING', attempts = 0, abandoned = 0, holds_key = false, next_attempt_at = statement_timestamp(),
                    content_hash = coalesce(c.hash, o.content_hash),
                    version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
                from chosen c
                where o.id = c.row_id and o.status = 'DEAD_LETTER'
                returning o.id, o.event_id, c.lettered
            ), again as (
                insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                    payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at,
                    max_retries, first_failed_at, last_error)
                select g.event_id, g.event_type, g.aggregate_type, g.aggregate_id, g.event_key, g.source,
                    g.payload, g.payload_binary, g.content_type, g.headers, g.request_id,
                    coalesce(g.hash, g.content_hash), g.occurred_at, g.created_at,
                    g.max_retries, g.first_failed_at, g.reason
                from (
                    select distinct on (l.event_id) l.*, c.hash
                    from {dead_letter} l join chosen c using (outbox_id)
                    where c.row_id is null
                    order by l.event_id, l.outbox_id
                ) g
                order by g.outbox_id
                on conflict do nothing
                returning event_id
            ), forgotten as (
                delete from {dead_letter} l
                using chosen c
                where l.outbox_id = c.outbox_id
                  and (c.row_id is not null or c.event_id in (select event_id from again))
            ), noted as (
                insert into {audit} (actor, action, selector, affected)
                select ?, 'handled', b.event_id::text, 1 from back b where not b.lettered
            )
            select (select count(*) from back) as back,
                   (select count(*) from again) as inserted,
                   (select count(*) from chosen where row_id is not null) - (select count(*) from back) as handled,
                   (select count(*) from chosen c
                    where c.row_id is null and c.event_id not in (select event_id from again)) as kept
            """;

    private static final String DISCARD = """
            with chosen as materialized (
                select c.outbox_id, l.outbox_id is not null as lettered,
                       coalesce(
                           (select o.id from {outbox} o
                            where o.id = c.outbox_id and (l.event_id is null or o.event_id = l.event_id)),
                           least(
                               (select min(o.id) from {outbox} o
                                where o.aggregate_type = l.aggregate_type and o.aggregate_id = l.aggregate_id
                                  and o.event_id = l.event_id and o.status <> 'PENDING' and o.status <> 'SENDING'),
                               (select min(o.id) from {outbox} o
                                where o.key_hash = hashtextextended(
                                          coalesce(l.event_key, l.aggregate_type || '/' || l.aggregate_id), 0)
                                  and o.event_id = l.event_id and o.status in ('PENDING', 'SENDING')))) as row_id
                from unnest(?::bigint[]) as c(outbox_id)
                left join {dead_letter} l using (outbox_id)
            ), dead_rows as (
                delete from {outbox} o
                using chosen c
                where o.id = c.row_id and o.status = 'DEAD_LETTER'
                returning o.event_id, c.lettered
            ), letters as (
                delete from {dead_letter} l
                using chosen c
                where l.outbox_id = c.outbox_id
            ), noted as (
                insert into {audit} (actor, action, selector, affected)
                select ?, 'handled', d.event_id::text, 1 from dead_rows d where not d.lettered
            )
            select (select count(*) from dead_rows)
                       + (select count(*) from chosen where row_id is null) as discarded,
                   (select count(*) from chosen where row_id is not null)
                       - (select count(*) from dead_rows) as handled
            """;

    // ---- from the file

    private static final String FIND_EVENT = """
            with line as (
                select ?::bigint as id, ?::uuid as event_id, ?::text as aggregate_type, ?::text as aggregate_id,
                       ?::text as event_key
            ), found as materialized (
                select coalesce(
                           (select o.id from {outbox} o where o.id = e.id and o.event_id = e.event_id),
                           least(
                               (select min(o.id) from {outbox} o
                                where o.aggregate_type = e.aggregate_type and o.aggregate_id = e.aggregate_id
                                  and o.event_id = e.event_id and o.status <> 'PENDING' and o.status <> 'SENDING'),
                               (select min(o.id) from {outbox} o
                                where o.key_hash = hashtextextended(
                                          coalesce(e.event_key, e.aggregate_type || '/' || e.aggregate_id), 0)
                                  and o.event_id = e.event_id and o.status in ('PENDING', 'SENDING')))) as id
                from line e
            )
            select o.id, o.status
            from {outbox} o
            where o.id = (select id from found)
            for update of o
            """;

    private static final String BRING_BACK = """
            update {outbox} o
            set status = 'PENDING', attempts = 0, abandoned = 0, holds_key = false, next_attempt_at = statement_timestamp(),
                version = o.version % 2147483647 + 1, updated_at = clock_timestamp()
            where o.id = ? and o.status = 'DEAD_LETTER'
            """;

    // ---- published events

    private static final String EXTENT_OF_AGGREGATE = """
            select count(*) as events, coalesce(min(id), 0) as first_id, coalesce(max(id), 0) as last_id,
                   clock_timestamp() as at
            from {outbox}
            where aggregate_type = ? and aggregate_id = ? and status = 'PUBLISHED' and id > ?
            """;

    private static final String EXTENT_BY_TIME = """
            select count(*) as events, coalesce(min(id), 0) as first_id, coalesce(max(id), 0) as last_id,
                   clock_timestamp() as at
            from {outbox}
            where status = 'PUBLISHED' and created_at >= ? and created_at < ? and id > ?
            """;

    private static final String PUBLISHED_OF_AGGREGATE = """
            select id
            from {outbox}
            where aggregate_type = ? and aggregate_id = ? and status = 'PUBLISHED' and id > ? and id <= ?
            order by id
            limit ?
            """;

    private static final String PUBLISHED_BY_TIME = """
            select id
            from {outbox}
            where status = 'PUBLISHED' and created_at >= ? and created_at < ? and id > ? and id <= ?
            order by id
            limit ?
            """;
}
