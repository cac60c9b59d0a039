package dev.postrider.internal.store.mysql;

import dev.postrider.OutboxTable;
import dev.postrider.internal.store.jdbc.AdminSql;
import dev.postrider.internal.store.jdbc.CommonAdminSql;

/**
 * The operators' statements to an outbox on MariaDB or MySQL, for one table. Nothing but the checked table names is ever
 * put into the text; a condition that was not given is a null parameter.
 *
 * <p>A dead letter is a row of the dead letter table, or a dead row of the outbox without one: its letter went into the
 * file, or no further than an alert. Both are found by the same conditions. Parameters that are compared say their
 * collation, because as columns of a common table expression they would have the connection's.
 */
final class MySqlAdminSql implements AdminSql {
    final CommonAdminSql common;
    final String waitForOperators;
    final String findRows;
    final String lockDead;
    final String bringBackAll;
    final String insertAgain;
    final String deleteLetters;
    final String deleteRows;
    final String findEvent;
    final String bringBack;
    final String insertLine;

    private final OutboxTable table;

    MySqlAdminSql(OutboxTable table) {
        this.table = table;
        this.common = new CommonAdminSql(
                sql(SIZES),
                sql(READ_EVENTS),
                sql(READ_CHANGED),
                sql(WAS_HANDLED),
                sql(NOTE_HANDLED),
                sql(HAS_LETTERS)
                        .replace("{letters}", table.name() + "_dead_letter")
                        .replace("{schema}", table.schema() == null ? "database()" : "'" + table.schema() + "'"),
                sql(FORGET_LETTER),
                sql(RECORD),
                sql(RECORD_PROGRESS),
                sql(AUDIT));
        this.waitForOperators = sql(WAIT_FOR_OPERATORS);
        this.findRows = sql(FIND_ROWS);
        this.lockDead = sql(LOCK_DEAD);
        this.bringBackAll = sql(BRING_BACK_ALL);
        this.insertAgain = sql(INSERT_AGAIN);
        this.deleteLetters = sql(DELETE_LETTERS);
        this.deleteRows = sql(DELETE_ROWS);
        this.findEvent = sql(FIND_EVENT);
        this.bringBack = sql(BRING_BACK);
        this.insertLine = sql(INSERT_LINE);
    }

    private String sql(String statement) {
        return MySqlSql.forTable(table, statement);
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

    // ---- looking

    private static final String WANTED = """
            with wanted as (
                select ? as ids, ? as event_ids,
                       convert(? using utf8mb4) collate utf8mb4_bin as message_key,
                       convert(? using utf8mb4) collate utf8mb4_bin as aggregate_type,
                       convert(? using utf8mb4) collate utf8mb4_bin as aggregate_id,
                       convert(? using utf8mb4) collate utf8mb4_bin as event_type,
                       convert(? using utf8mb4) collate utf8mb4_bin as error_class,
                       cast(? as datetime(6)) as since, cast(? as datetime(6)) as until
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
            ), chosen as (
                select d.*
                from wanted w cross join dead d
                where (w.ids is null or json_contains(w.ids, cast(d.outbox_id as char)))
                  and (w.event_ids is null or json_contains(w.event_ids, json_quote(d.event_id)))
                  and (w.message_key is null or coalesce(d.event_key, d.aggregate_id) = w.message_key)
                  and (w.aggregate_type is null or d.aggregate_type = w.aggregate_type)
                  and (w.aggregate_id is null or d.aggregate_id = w.aggregate_id)
                  and (w.event_type is null or d.event_type = w.event_type)
                  and (w.error_class is null or d.error_class = w.error_class)
                  and (w.since is null or d.died_at >= w.since)
                  and (w.until is null or d.died_at < w.until)
            )
            """;

    private static final String FIND = WANTED + """
            select c.*, o.status
            from chosen c left join {outbox} o on o.id = c.outbox_id and o.event_id = c.event_id
            order by c.died_at desc, c.outbox_id desc
            limit ?
            """;

    /** Counting stops at the limit. */
    private static final String COUNT = WANTED + """
            select count(*) from (select 1 from chosen limit ?) capped
            """;

    /** Of dead rows the latest only: most of them keep no key closed. */
    private static final String CLOSED_KEYS = """
            select id, status = 'DEAD_LETTER' as dead, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key
            from (
                (select id, status, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key
                 from {outbox} force index ({name}_status)
                 where status = 'FAILED' order by created_at limit ?)
                union all
                (select id, status, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key
                 from (
                    select id, status, attempts, last_error, event_type, aggregate_type, aggregate_id, event_key, holds_key
                    from {outbox} force index ({name}_status)
                    where status = 'DEAD_LETTER' order by created_at desc, id desc limit 10000) latest
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
                select w.max_size, o.*, coalesce(octet_length(o.payload), 0) + coalesce(octet_length(o.payload_binary), 0)
                           + coalesce(octet_length(o.headers), 0) as size
                from (select ? as max_size) w cross join (
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

    // ---- changing: one at a time, in one transaction

    /** A row that is there in every outbox and that nobody else changes. */
    private static final String WAIT_FOR_OPERATORS = """
            select 1 from {settings} where name = 'outbox_id' for update
            """;

    /** What is chosen is locked by {@link #LOCK_DEAD} and by the changes themselves; how it stands is asked for then. */
    private static final String CHOOSE = WANTED + """
            select outbox_id from chosen order by outbox_id
            """;

    private static final String READ_CHANGED = """
            with c as (select j.id from json_table(?, '$[*]' columns (id bigint path '$')) j)
            select l.outbox_id, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source,
                   o.payload, o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash, o.occurred_at,
                   o.max_retries
            from c straight_join {dead_letter} l force index (primary) on l.outbox_id = c.id
            straight_join {outbox} o force index (primary) on o.id = l.outbox_id and o.event_id = l.event_id
            where l.error_class = 'integrity'
            union all
            select l.outbox_id, l.event_id, l.event_type, l.aggregate_type, l.aggregate_id, l.event_key, l.source,
                   l.payload, l.payload_binary, l.content_type, l.headers, l.request_id, l.content_hash, l.occurred_at,
                   l.max_retries
            from c straight_join {dead_letter} l force index (primary) on l.outbox_id = c.id
            where l.error_class = 'integrity'
              and not exists (select 1 from {outbox} o where o.id = l.outbox_id and o.event_id = l.event_id)
            """;

    /**
     * Locks the letters. A row is looked for under its old id, then among the events of its aggregate: it may have been
     * written again before.
     */
    private static final String FIND_ROWS = """
            select c.id as outbox_id, l.event_id, l.outbox_id is not null as lettered,
                   coalesce(
                       (select o.id from {outbox} o
                        where o.id = c.id and (l.event_id is null or o.event_id = l.event_id)),
                       (select min(o.id) from {outbox} o
                        where o.aggregate_type = l.aggregate_type and o.aggregate_id = l.aggregate_id
                          and o.event_id = l.event_id)) as row_id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) c
            left join {dead_letter} l force index (primary) on l.outbox_id = c.id
            order by c.id
            for update
            """;

    /** From here on they stay dead, unless it is us who changes them. */
    private static final String LOCK_DEAD = """
            select o.id, o.event_id
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            where o.status = 'DEAD_LETTER'
            for update
            """;

    /** At a time, as retries are: by their ids, which are old, they would come before all new events. */
    private static final String BRING_BACK_ALL = """
            update json_table(?, '$[*]' columns (id bigint path '$[0]', hash text path '$[1]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            set o.status = 'PENDING', o.attempts = 0, o.abandoned = 0, o.holds_key = false, o.next_attempt_at = utc_timestamp(6),
                o.content_hash = coalesce(s.hash, o.content_hash),
                o.version = o.version % 2147483647 + 1, o.updated_at = utc_timestamp(6)
            """;

    /** Of one letter, whose row is gone. */
    private static final String INSERT_AGAIN = """
            insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at,
                max_retries, first_failed_at, last_error)
            select event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, coalesce(?, content_hash), occurred_at,
                created_at, max_retries, first_failed_at, reason
            from {dead_letter}
            where outbox_id = ?
            """;

    private static final String DELETE_LETTERS = """
            delete l
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {dead_letter} l force index (primary) on l.outbox_id = s.id
            """;

    private static final String DELETE_ROWS = """
            delete o
            from json_table(?, '$[*]' columns (id bigint path '$[0]')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    // ---- from the file

    /** Whether an event that is in the file was brought back or discarded; its row may be gone since. */
    private static final String WAS_HANDLED = """
            select exists (select 1 from {audit} where action = 'handled' and selector = ?)
            """;

    private static final String NOTE_HANDLED = """
            insert into {audit} (actor, action, selector, affected)
            select ?, 'handled', ?, 1 from dual
            where not exists (select 1 from {audit} where action = 'handled' and selector = ?)
            """;

    private static final String FIND_EVENT = """
            with line as (
                select ? as id, convert(? using utf8mb4) collate utf8mb4_bin as event_id,
                       convert(? using utf8mb4) collate utf8mb4_bin as aggregate_type,
                       convert(? using utf8mb4) collate utf8mb4_bin as aggregate_id, ? as event_key
            )
            select o.id, o.status
            from {outbox} o
            where o.id = (
                select coalesce(
                    (select f.id from {outbox} f where f.id = e.id and f.event_id = e.event_id),
                    (select min(f.id) from {outbox} f
                     where f.aggregate_type = e.aggregate_type and f.aggregate_id = e.aggregate_id
                       and f.event_id = e.event_id))
                from line e)
            for update
            """;

    private static final String BRING_BACK = """
            update {outbox}
            set status = 'PENDING', attempts = 0, abandoned = 0, holds_key = false, next_attempt_at = utc_timestamp(6),
                version = version % 2147483647 + 1, updated_at = utc_timestamp(6)
            where id = ? and status = 'DEAD_LETTER'
            """;

    static final String LONGEST_STATEMENT = "select @@max_allowed_packet";

    private static final String INSERT_LINE = """
            insert into {outbox} (event_id, event_type, aggregate_type, aggregate_id, event_key, source,
                payload, payload_binary, content_type, headers, request_id, content_hash, occurred_at, created_at,
                max_retries, first_failed_at, last_error)
            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** The file exists because the table may not. */
    private static final String HAS_LETTERS = """
            select exists (
                select 1 from information_schema.tables where table_schema = {schema} and table_name = '{letters}')
            """;

    private static final String FORGET_LETTER = """
            delete from {dead_letter} where outbox_id = ? and event_id = ?
            """;

    // ---- published events

    private static final String EXTENT_OF_AGGREGATE = """
            select count(*) as events, coalesce(min(id), 0) as first_id, coalesce(max(id), 0) as last_id,
                   utc_timestamp(6) as at
            from {outbox} force index ({name}_aggregate)
            where aggregate_type = ? and aggregate_id = ? and status = 'PUBLISHED' and id > ?
            """;

    private static final String EXTENT_BY_TIME = """
            select count(*) as events, coalesce(min(id), 0) as first_id, coalesce(max(id), 0) as last_id,
                   utc_timestamp(6) as at
            from {outbox} force index ({name}_status)
            where status = 'PUBLISHED' and created_at >= ? and created_at < ? and id > ?
            """;

    private static final String PUBLISHED_OF_AGGREGATE = """
            select id
            from {outbox} force index ({name}_aggregate)
            where aggregate_type = ? and aggregate_id = ? and status = 'PUBLISHED' and id > ? and id <= ?
            order by id
            limit ?
            """;

    private static final String PUBLISHED_BY_TIME = """
            select id
            from {outbox} force index (primary)
            where status = 'PUBLISHED' and created_at >= ? and created_at < ? and id > ? and id <= ?
            order by id
            limit ?
            """;

    /** The limit is for databases that know what is stored without reading it. */
    private static final String SIZES = """
            select o.id, coalesce(octet_length(o.payload), 0) + coalesce(octet_length(o.payload_binary), 0)
                   + coalesce(octet_length(o.headers), 0) + octet_length(o.event_type) + octet_length(o.aggregate_type)
                   + octet_length(o.aggregate_id) + coalesce(octet_length(o.event_key), 0)
                   + coalesce(octet_length(o.source), 0) + octet_length(o.content_type)
                   + coalesce(octet_length(o.request_id), 0) + coalesce(octet_length(o.content_hash), 0) as size
            from (select ? as max_size) w
            straight_join json_table(?, '$[*]' columns (id bigint path '$')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            """;

    private static final String READ_EVENTS = """
            select o.id, o.key_hash, o.event_id, o.event_type, o.aggregate_type, o.aggregate_id, o.event_key, o.source,
                   o.payload, o.payload_binary, o.content_type, o.headers, o.request_id, o.content_hash, o.occurred_at,
                   o.max_retries
            from json_table(?, '$[*]' columns (id bigint path '$')) s
            straight_join {outbox} o force index (primary) on o.id = s.id
            order by o.id
            """;

    // ---- what operators did

    private static final String RECORD = """
            insert into {audit} (actor, action, selector, affected) values (?, ?, ?, ?)
            """;

    private static final String RECORD_PROGRESS = """
            update {audit} set affected = ? where id = ?
            """;

    /** Without the entries by which a restore knows what was handled before. */
    private static final String AUDIT = """
            select at, actor, action, selector, affected
            from {audit}
            where action <> 'handled'
            order by id desc
            limit ?
            """;
}
